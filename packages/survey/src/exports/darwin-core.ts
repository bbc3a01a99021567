import { csvLine, type Value } from '../tables/csv.ts';
import type { ExportFile } from './camtrap-dp.ts';
import { type Licence, licences } from './licences.ts';
import { publishable } from './media-files.ts';
import { ExportError, effortInWords, type Observation, type SurveyRecording, type SurveyRecords } from './survey-records.ts';
import { splitRemark } from './taxonomy.ts';
import { spanOfObservation, spanOfRecording, spanTexts, zonedText } from './times.ts';

/** What an archive requires but tables do not have. */
export interface DarwinCoreOptions {
  readonly title: string;
  readonly creator: string;
  readonly licence: Licence;
  readonly now: Date;
}

const DWC = 'http://rs.tdwg.org/dwc/terms/';
const LICENSE = 'http://purl.org/dc/terms/license';

type Columns<Of> = Readonly<Record<string, (of: Of) => Value>>;

/** Terms of the core: one event is one analysed recording, with or without birds. */
const eventColumns: Columns<{ readonly recording: SurveyRecording; readonly models: string; readonly licence: Licence }> = {
  [`${DWC}eventID`]: ({ recording }) => recording.file,
  [`${DWC}eventDate`]: ({ recording }) => dateOf(recording),
  [`${DWC}eventTime`]: ({ recording: { moment } }) => moment.time,
  [`${DWC}locationID`]: ({ recording }) => recording.site,
  [`${DWC}locality`]: ({ recording }) => recording.site,
  [`${DWC}decimalLatitude`]: ({ recording }) => recording.place?.latitude ?? null,
  [`${DWC}decimalLongitude`]: ({ recording }) => recording.place?.longitude ?? null,
  [`${DWC}samplingProtocol`]: ({ models }) => `Sound recording, birds named by a model${models === '' ? '' : ` (${models})`}`,
  [`${DWC}sampleSizeValue`]: ({ recording }) => recording.seconds,
  [`${DWC}sampleSizeUnit`]: ({ recording }) => (recording.seconds === null ? null : 'second'),
  [`${DWC}samplingEffort`]: ({ recording }) => effortInWords(recording),
  [LICENSE]: ({ licence }) => licences[licence].url,
};

const occurrenceColumns: Columns<Observation> = {
  [`${DWC}occurrenceID`]: ({ recording, startSeconds, endSeconds, scientificName }) =>
    `${recording.file}#${startSeconds}-${endSeconds}#${scientificName}`,
  [`${DWC}basisOfRecord`]: ({ confirmed }) => (confirmed ? 'HumanObservation' : 'MachineObservation'),
  [`${DWC}occurrenceStatus`]: () => 'present',
  [`${DWC}scientificName`]: ({ scientificName }) => scientificName,
  [`${DWC}nameAccordingTo`]: ({ nameAccordingTo = null }) => nameAccordingTo,
  [`${DWC}taxonRemarks`]: splitRemark,
  [`${DWC}vernacularName`]: ({ commonName }) => commonName,
  [`${DWC}eventDate`]: (observation) => {
    const span = spanOfObservation(observation);
    return span ? spanTexts(span).join('/') : observation.moment.date;
  },
  [`${DWC}identifiedBy`]: ({ confirmed, machine }) => (confirmed ? confirmed.by.join(' | ') : (machine?.model ?? null)),
  [`${DWC}dateIdentified`]: ({ confirmed }) => confirmed?.at ?? null,
  [`${DWC}identificationVerificationStatus`]: ({ confirmed }) => (confirmed ? 'confirmed by a person' : 'not confirmed'),
  [`${DWC}identificationRemarks`]: identificationRemarks,
  [`${DWC}associatedMedia`]: ({ recording }) => recording.file,
  [`${DWC}occurrenceRemarks`]: ({ startSeconds, endSeconds }) => `Heard from ${startSeconds} to ${endSeconds} s of the recording`,
};

/** The files of an archive: meta.xml, eml.xml and the two tables. @throws ExportError when there is no recording */
export function darwinCore(all: SurveyRecords, options: DarwinCoreOptions): readonly ExportFile[] {
  const records = publishable(all);
  if (records.recordings.length === 0) throw new ExportError('There is no recording to export.');
  const models = new Map<string, Set<string>>();
  for (const { recording, machine } of records.observations)
    if (machine) models.set(recording.file, (models.get(recording.file) ?? new Set()).add(machine.model));
  const ofAll = new Set([...models.values()].flatMap((each) => [...each]));
  // A recording without birds was analysed by the model of the others, if they have one in common.
  const modelsOf = ({ file }: SurveyRecording) => [...(models.get(file) ?? (ofAll.size === 1 ? ofAll : []))].join(', ');
  const events = records.recordings.map((recording) =>
    row(eventColumns, { recording, models: modelsOf(recording), licence: options.licence }),
  );
  const occurrences = records.observations.map((observation) =>
    csvLine([observation.recording.file, ...cells(occurrenceColumns, observation)]),
  );
  return [
    { name: 'meta.xml', text: metaXml() },
    { name: 'eml.xml', text: emlXml(options) },
    { name: 'event.txt', text: csvLine(headerOf(eventColumns)) + events.join('') },
    { name: 'occurrence.txt', text: csvLine(['eventID', ...headerOf(occurrenceColumns)]) + occurrences.join('') },
  ];
}

const cells = <Of>(columns: Columns<Of>, of: Of): Value[] => Object.values(columns).map((column) => column(of));
const row = <Of>(columns: Columns<Of>, of: Of): string => csvLine(cells(columns, of));
const headerOf = <Of>(columns: Columns<Of>): string[] =>
  Object.keys(columns).map((term) => term.slice(term.lastIndexOf('/') + 1));

function dateOf(recording: SurveyRecording): string | null {
  const span = spanOfRecording(recording);
  if (span) return spanTexts(span).join('/');
  const { date, epochMs, offsetMinutes } = recording.moment;
  return epochMs === null || offsetMinutes === null ? date : zonedText(epochMs, offsetMinutes);
}

function identificationRemarks({ machine, confirmed }: Observation): string {
  if (machine === null) return 'Named by a person who listened to the recording';
  const { model, score, confidence } = machine;
  const numbers = [confidence === null ? [] : `confidence ${confidence}`, score === null ? [] : `score ${score}`]
    .flat()
    .join(', ');
  return `${confirmed ? 'Confirmed by a person who listened to the recording; named' : 'Named'} by ${model}${numbers === '' ? '' : `, ${numbers}`}`;
}

function metaXml(): string {
  const file = {
    encoding: 'UTF-8',
    fieldsTerminatedBy: ',',
    linesTerminatedBy: '\\n',
    fieldsEnclosedBy: '"',
    ignoreHeaderLines: '1',
  };
  const fields = (columns: Readonly<Record<string, unknown>>, from: number) =>
    Object.keys(columns)
      .map((term, index) => `    <field index="${index + from}" term="${term}"/>\n`)
      .join('');
  const attributes = (rowType: string) =>
    Object.entries({ ...file, rowType: `${DWC}${rowType}` })
      .map(([name, value]) => ` ${name}="${xml(value)}"`)
      .join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<archive xmlns="http://rs.tdwg.org/dwc/text/" metadata="eml.xml">
  <core${attributes('Event')}>
    <files><location>event.txt</location></files>
    <id index="0"/>
${fields(eventColumns, 0)}  </core>
  <extension${attributes('Occurrence')}>
    <files><location>occurrence.txt</location></files>
    <coreid index="0"/>
${fields(occurrenceColumns, 1)}  </extension>
</archive>
`;
}

/** Follows GBIF's profile of the Ecological Metadata Language, version 1.3. */
function emlXml({ title, creator, licence, now }: DarwinCoreOptions): string {
  const { url, title: licenceTitle } = licences[licence];
  const person = `<organizationName>${xml(creator)}</organizationName>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="${xml(title)} ${now.toISOString()}" system="http://gbif.org" scope="system" xml:lang="eng">
  <dataset>
    <title>${xml(title)}</title>
    <creator>${person}</creator>
    <pubDate>${now.toISOString().slice(0, 10)}</pubDate>
    <language>eng</language>
    <abstract>
      <para>Birds heard in sound recordings, named by a model. What a person confirmed is marked as human observation.</para>
    </abstract>
    <intellectualRights>
      <para>This work is licensed under <ulink url="${url}"><citetitle>${licenceTitle} License</citetitle></ulink>.</para>
    </intellectualRights>
    <contact>${person}</contact>
  </dataset>
</eml:eml>
`;
}

/** Escapes text for XML; leaves out characters that XML cannot hold. */
const xml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are to go
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
