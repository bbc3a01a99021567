import { utcText } from '../recording-time.ts';
import { csvLine, type Value } from '../tables/csv.ts';
import { type Deployment, deploymentsOf } from './deployments.ts';
import { type Licence, licences } from './licences.ts';
import { mediaPath, mediaType, publishable } from './media-files.ts';
import { lackingForCamtrap } from './needs.ts';
import { ExportError, effortInWords, type Observation, type SurveyRecording, type SurveyRecords } from './survey-records.ts';
import { splitRemark } from './taxonomy.ts';
import { spanOfObservation, spanOfRecording, spanTexts, zonedText } from './times.ts';

/** Camtrap DP, the data package of camera traps: https://camtrap-dp.tdwg.org. For what it cannot hold of sound, see docs/exports.md. */
const STANDARD = 'https://raw.githubusercontent.com/tdwg/camtrap-dp/1.0.2';

export const samplingDesigns = [
  ...(['simpleRandom', 'systematicRandom', 'clusteredRandom', 'experimental', 'targeted', 'opportunistic'] as const),
] as const;
export const captureMethods = ['timeLapse', 'activityDetection'] as const;

/** What the standard requires but tables do not have. */
export interface CamtrapOptions {
  readonly title: string;
  readonly creator: string;
  readonly samplingDesign: (typeof samplingDesigns)[number];
  readonly captureMethod: (typeof captureMethods)[number];
  /** Of the tables, and of the recordings; null: not stated. */
  readonly licences: { readonly data: Licence; readonly media: Licence } | null;
  readonly now: Date;
}

/** A file of an export, for the caller to write. */
export interface ExportFile {
  readonly name: string;
  readonly text: string;
}

/** The standard's columns in its order; those for cameras only stay empty. */
const columns = {
  deployments: [
    ...['deploymentID', 'locationID', 'locationName', 'latitude', 'longitude', 'coordinateUncertainty', 'deploymentStart'],
    ...['deploymentEnd', 'setupBy', 'cameraID', 'cameraModel', 'cameraDelay', 'cameraHeight', 'cameraDepth', 'cameraTilt'],
    ...['cameraHeading', 'detectionDistance', 'timestampIssues', 'baitUse', 'featureType', 'habitat', 'deploymentGroups'],
    ...['deploymentTags', 'deploymentComments'],
  ],
  media: [
    ...['mediaID', 'deploymentID', 'captureMethod', 'timestamp', 'filePath', 'filePublic', 'fileName', 'fileMediatype'],
    ...['exifData', 'favorite', 'mediaComments'],
  ],
  observations: [
    ...['observationID', 'deploymentID', 'mediaID', 'eventID', 'eventStart', 'eventEnd', 'observationLevel', 'observationType'],
    ...['cameraSetupType', 'scientificName', 'count', 'lifeStage', 'sex', 'behavior', 'individualID'],
    ...['individualPositionRadius', 'individualPositionAngle', 'individualSpeed', 'bboxX', 'bboxY', 'bboxWidth', 'bboxHeight'],
    ...['classificationMethod', 'classifiedBy', 'classificationTimestamp', 'classificationProbability', 'observationTags'],
    ...['observationComments'],
  ],
} as const;
type Resource = keyof typeof columns;

/**
 * The files of a package. Detections are observations of `media`, by machine or, where a person confirmed them, by human.
 *
 * @throws ExportError when a recording has no place or time, or there is no recording
 */
export function camtrapDp(all: SurveyRecords, options: CamtrapOptions): readonly ExportFile[] {
  const incomplete = all.recordings.find((recording) => lackingForCamtrap(recording).length > 0);
  if (incomplete) throw new ExportError(`${incomplete.file} has no place, or no time in UTC; Camtrap DP asks for both.`);
  const records = publishable(all);
  const deployments = deploymentsOf(records);
  const [first] = deployments;
  if (first === undefined) throw new ExportError('There is no recording with a place and a time in UTC to export.');
  const deploymentOf = new Map(
    deployments.flatMap((deployment) => deployment.files.map((file) => [file, deployment.id] as const)),
  );
  const idOf = ({ file }: SurveyRecording) => deploymentOf.get(file) ?? null;
  const media = records.recordings.map((recording) => mediaRow(recording, idOf(recording), options));
  const observations = records.observations.map((each) => observationRow(each, idOf(each.recording)));
  return [
    { name: 'datapackage.json', text: `${JSON.stringify(packageOf(records, deployments, options), null, 2)}\n` },
    table('deployments', deployments.map(deploymentRow)),
    table('media', media),
    table('observations', observations),
  ];
}

type Row<Name extends Resource> = Partial<Record<(typeof columns)[Name][number], Value>>;

function table<Name extends Resource>(name: Name, rows: readonly Row<Name>[]): ExportFile {
  const names: readonly (typeof columns)[Name][number][] = columns[name];
  const lines = rows.map((row) => csvLine(names.map((column) => row[column] ?? null)));
  return { name: `${name}.csv`, text: csvLine(names) + lines.join('') };
}

const deploymentRow = ({ id, site, place, span, recorder }: Deployment): Row<'deployments'> => {
  const [deploymentStart, deploymentEnd] = spanTexts(span);
  return {
    deploymentID: id,
    locationID: site,
    locationName: site,
    latitude: place.latitude,
    longitude: place.longitude,
    deploymentStart,
    deploymentEnd,
    cameraID: recorder,
  };
};

function mediaRow(recording: SurveyRecording, deploymentID: string | null, { captureMethod }: CamtrapOptions): Row<'media'> {
  const { file, moment } = recording;
  return {
    mediaID: file,
    deploymentID,
    captureMethod,
    timestamp: zonedText(moment.epochMs ?? 0, moment.offsetMinutes ?? 0),
    filePath: mediaPath(file),
    filePublic: false,
    fileName: file.split(/[\\/]/).at(-1) ?? file,
    fileMediatype: mediaType(file),
    mediaComments: effortInWords(recording),
  };
}

function observationRow(observation: Observation, deploymentID: string | null): Row<'observations'> {
  const { recording, startSeconds, endSeconds, scientificName, machine, confirmed } = observation;
  const span = spanOfObservation(observation);
  const [eventStart, eventEnd] = span ? spanTexts(span) : [null, null];
  const mediaID = recording.file;
  const tags = [
    ...[`startSeconds:${startSeconds}`, `endSeconds:${endSeconds}`],
    ...(machine ? [`model:${machine.model}`, `score:${machine.score ?? ''}`, `confidence:${machine.confidence ?? ''}`] : []),
  ];
  return {
    observationID: `${mediaID}#${startSeconds}-${endSeconds}#${scientificName}`,
    deploymentID,
    mediaID,
    eventStart,
    eventEnd,
    observationLevel: 'media',
    observationType: 'animal',
    scientificName,
    ...(confirmed
      ? { classificationMethod: 'human', classifiedBy: confirmed.by.join(' | '), classificationTimestamp: confirmed.at }
      : {
          classificationMethod: 'machine',
          classifiedBy: machine?.model ?? null,
          classificationProbability: machine?.confidence ?? null,
        }),
    observationTags: tags.filter((tag) => !tag.endsWith(':')).join(' | '),
    observationComments: splitRemark(observation),
  };
}

function packageOf(records: SurveyRecords, deployments: readonly Deployment[], options: CamtrapOptions) {
  const { title, creator, samplingDesign, captureMethod, now } = options;
  const days = deployments.flatMap(({ span }) => spanTexts(span).map((text) => text.slice(0, 10))).sort();
  const models = new Set(records.observations.flatMap(({ machine }) => (machine ? [machine.model] : [])));
  const names = new Set(records.observations.map(({ scientificName }) => scientificName));
  const taxonomies = new Set(records.observations.flatMap(({ nameAccordingTo }) => nameAccordingTo ?? []));
  const follows = taxonomies.size === 0 ? '' : ` Names follow ${[...taxonomies].join(' and ')}.`;
  return {
    resources: (Object.keys(columns) as Resource[]).map((name) => ({
      name,
      path: `${name}.csv`,
      profile: 'tabular-data-resource',
      format: 'csv',
      mediatype: 'text/csv',
      encoding: 'utf-8',
      schema: `${STANDARD}/${name}-table-schema.json`,
    })),
    profile: `${STANDARD}/camtrap-dp-profile.json`,
    created: utcText({ epochMs: now.getTime() }),
    title,
    description: `Birds heard in sound recordings. Recorders stand where the standard says cameras, recordings where it says media.${follows}`,
    contributors: [{ title: creator, role: 'contact' }],
    sources: [...models].map((model) => ({ title: model })),
    ...(options.licences && {
      licenses: [
        { ...packageLicence(options.licences.data), scope: 'data' },
        { ...packageLicence(options.licences.media), scope: 'media' },
      ],
    }),
    project: {
      title,
      samplingDesign,
      captureMethod: [captureMethod],
      individualAnimals: false,
      observationLevel: ['media'],
    },
    spatial: { type: 'MultiPoint', coordinates: deployments.map(({ place }) => [place.longitude, place.latitude]) },
    temporal: { start: days.at(0), end: days.at(-1) },
    taxonomic: [...names].sort().map((scientificName) => ({ scientificName })),
  };
}

const packageLicence = (licence: Licence) => ({ name: licence, path: licences[licence].url });
