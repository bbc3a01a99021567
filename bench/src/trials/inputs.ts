/**
 * `npm run trial -- inputs FOLDER`: recordings, tables and lists of people, a folder each, with which programs went wrong without a word.
 * Each is worked on by the command line as its README says, in a copy; what it prints and writes must be right.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Row, rowText } from '../harness/report.ts';

/** A pattern that must be there, or with `not` must not; `said` is what the commands printed, anything else a file that they wrote. */
type Right = readonly [where: string, pattern: RegExp, not?: 'not'];

interface Input {
  /** For `sh`, with `chiffchaff` on the PATH and the folder of all inputs in `$INPUTS`. */
  readonly script: string;
  readonly right: readonly Right[];
  /** A table whose columns the list of files must have for each name. */
  readonly names?: string;
}

const DARWIN_CORE = '--format darwin-core --out d.zip --title T --creator C --license CC0-1.0';
const IDENTIFY = 'chiffchaff identify . --format csv --out x.csv';
const named = (wants: RegExp): Input => ({
  script: 'sh make.sh; chiffchaff identify made --format csv --out x.csv',
  right: [['said', wants, 'not']],
  names: 'names.tsv',
});

const INPUTS: Readonly<Record<string, Input>> = {
  'audiomoth-firmware-1.0': { script: IDENTIFY, right: [['x.files.csv', /2018-06-14T12:00:00Z/]] },
  'audiomoth-unexpanded-T': {
    script: IDENTIFY,
    right: [
      ['x.files.csv', /T\.WAV,analysed,(59|60)/],
      ['x.csv', /^(28|29|30)(\.\d+)?,.*Accipiter/m],
    ],
  },
  'blank-rows-of-a-spreadsheet': {
    script: `mkdir A; cp a.opus A; for list in sites sites-sep; do chiffchaff identify A --sites $list.csv --format csv --out $list-x.csv; done
      chiffchaff summarise birds.csv --out s; chiffchaff export birds.csv ${DARWIN_CORE}`,
    right: [
      ['said', /names no site|is no Start/, 'not'],
      ['sites-x.files.csv', /,A,50\.83,12\.92,/],
      ['sites-sep-x.files.csv', /,A,50\.83,12\.92,/],
    ],
  },
  'ebird-leave-out': {
    script: 'chiffchaff export birds.csv --labels labels2.csv --format ebird --out e.csv --leave-out-incomplete; echo status $?',
    right: [['said', /status 0/]],
  },
  'ebird-split-species': {
    script: 'chiffchaff export birds.csv --labels labels.csv --format ebird --country US --state NY --out e.csv; cat e*.csv',
    right: [['said', /several species|split/]],
  },
  'flac-clock': {
    script: `mkdir S; cp *.flac S; printf 'site,folder,latitude,longitude,time zone\\nS,S,52.5,13.4,Europe/Berlin\\n' > sites.csv
      chiffchaff identify S --sites sites.csv --format csv --out x.csv`,
    right: [['said', /clock/i]],
  },
  'folder-skips-without-a-word': {
    script: 'sh make.sh; for card in card links; do chiffchaff identify $card --format csv --out $card.csv; done',
    right: [
      ['links.files.csv', /siteA/],
      ['card.files.csv', /RECYCLE|Trash/, 'not'],
      ['said', /\.wac/],
    ],
  },
  'guano-long': {
    script: IDENTIFY,
    right: [['x.files.csv', /600-fields.*2024-05-01T05:12:44Z[\s\S]*note-70.*2024-05-01T05:12:44Z/]],
  },
  'header-clock-never-set': {
    script: IDENTIFY,
    right: [
      ['x.files.csv', /20260501_051200\.wav.*2026-05-01,05:12:00/],
      ['x.files.csv', /bext-2-digit\.wav.*2024-05-01/],
      ['said', /far apart/],
    ],
  },
  'kaleidoscope-columns': {
    script: 'chiffchaff identify *.opus --format kaleidoscope --out k.csv; cat k.csv',
    right: [['said', /TOP1MATCH[\s\S]*Northern Goshawk/]],
  },
  'label-genus': {
    script: `chiffchaff export birds.csv --labels labels.csv ${DARWIN_CORE}`,
    right: [['said', /Periparus/]],
  },
  'labels-of-other-paths': {
    script: 'chiffchaff export birds.csv --labels labels.csv --format ebird --out e.csv',
    right: [['e.csv', /Accipiter|Astur/]],
  },
  'labels-spelled-otherwise': {
    script:
      'for labels in mixed no-newline; do chiffchaff export birds.csv --labels $labels.csv --format ebird --out $labels-e.csv; done; chiffchaff thresholds mixed.csv',
    right: [
      ['mixed-e.csv', /Accipiter|Astur/],
      ['said', /has no label/, 'not'],
    ],
  },
  'names-place-lost': named(/problem/i),
  'names-time-lost': named(/problem/i),
  'names-wrong-time': named(/problem/i),
  'one-yes-label': {
    script: `mkdir -p card/Fen/Data; mv *.wav card/Fen/Data; chiffchaff identify card --lat 52.33 --lon 0.29 --format csv --out d.csv
      chiffchaff thresholds labels.csv --detections d.csv --out th.csv
      chiffchaff identify card --lat 52.33 --lon 0.29 --thresholds th.csv --format csv --out x.csv`,
    right: [['x.csv', /Accipiter gentilis/]],
  },
  'phone-memo-time-zone': {
    script: `mkdir memo; cp *.m4a memo; for zone in UTC America/New_York; do TZ=$zone chiffchaff identify memo --sites sites.csv --format csv --out x.csv --overwrite; cat x.files.csv; done`,
    right: [['said', /2026-05-01,23:30:00,2026-05-02T03:30:00Z[\s\S]*2026-05-01,23:30:00,2026-05-02T03:30:00Z/]],
  },
  'raven-channel-and-speed': {
    script:
      'chiffchaff identify right-only.wav --channel 2 --format raven; chiffchaff identify ultrasound.wav --speed 0.2 --format raven; chiffchaff identify short.wav --speed 0.1',
    right: [
      ['said', /^\d+\t[^\t]*\t2\t/m],
      ['said', /75000/],
      ['said', /at least half a second/, 'not'],
    ],
  },
  'raven-many-files': {
    script:
      'mkdir two; for name in a b; do cp $INPUTS/kaleidoscope-columns/*.opus two/$name.opus; done; chiffchaff identify two --format raven --out r.txt; cat r.txt',
    right: [['said', /^\d+\t.*\t(7|8|9|1\d)\.\d+\t.*b\.opus/m]],
  },
  'segments-on-a-full-disk': {
    script:
      'mkdir full; mount -t tmpfs -o size=200k tmpfs full || echo no disk; chiffchaff segments --in birds.csv --out full/seg; echo status $?; umount full',
    right: [['said', /no disk|(space|full)[\s\S]*status 3/i]],
  },
  'shared-install-read-only': {
    script: 'chmod a+rx . && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent chiffchaff identify x.opus',
    right: [['said', /Goshawk/]],
  },
  'sites-match-nothing': {
    script:
      'mkdir Card-A; cp *.opus Card-A; cp *.opus Card-A/20260503_051200.opus; chiffchaff identify Card-A --sites sites.csv --format csv --out x.csv',
    right: [['said', /Mill[\s\S]*2 (of 2 )?recordings|2 (of 2 )?recordings[\s\S]*Mill/]],
  },
  'sites-nfd': {
    script: 'chiffchaff identify . --sites sites.csv --format csv --out x.csv',
    right: [['x.files.csv', /,Käuzchen,50\.83,12\.93,/]],
  },
  'sites-saved-by-german-excel': {
    script:
      'mkdir A Grünwald; cp *.opus A/a.opus; cp *.opus Grünwald/b.opus; chiffchaff identify A Grünwald --sites sites.csv --format csv --out x.csv',
    right: [['x.files.csv', /,Mühle,[\s\S]*,Weiher,/]],
  },
  'species-list-of-2025': {
    script:
      'for list in american analyzer common hyphens moved quoted; do chiffchaff identify $INPUTS/white-noise/*.wav --species $list.txt; echo status $?; done; chiffchaff identify $INPUTS/white-noise/*.wav --species list.csv; echo status $?',
    right: [
      ['said', /(status 0[\s\S]*){7}/],
      ['said', /american crow/i, 'not'],
    ],
  },
  'table-cr-line-ends': {
    script:
      'chiffchaff summarise birds.csv --out s; chiffchaff segments --in birds.csv --out c; chiffchaff thresholds labels.csv',
    right: [
      ['said', /9 detections/],
      ['said', /None of the detections|has no label/, 'not'],
    ],
  },
  'table-dates-saved-by-excel': {
    script: `chiffchaff export birds.csv ${DARWIN_CORE}; chiffchaff summarise birds.csv --out s; chiffchaff export birds-1e-04.csv ${DARWIN_CORE} --overwrite; unzip -p d.zip occurrence.txt`,
    right: [['said', /Line 2.*01\/05\/2026[\s\S]*Line 2.*01\/05\/2026[\s\S]*0\.0001/i]],
  },
  'table-hidden-in-capitals': {
    script: 'for table in as-written excel pandas; do chiffchaff summarise $table/birds.csv --out s-$table; done',
    right: [['said', /(4 detections[\s\S]*){3}/]],
  },
  truncated: { script: IDENTIFY, right: [['x.files.csv', /ENDED_EARLY/]] },
  'two-sound-tracks': {
    script: IDENTIFY,
    right: [
      ['said', /Unsupported audio codec|can't read|unhandled/i, 'not'],
      ['said', /several sound tracks/],
      ['x.files.csv', /first-track-silent\.mov,analysed[\s\S]*memo-aac-first\.qta,analysed[\s\S]*memo-apac-first\.qta,analysed/],
    ],
  },
  'unmatched-site': {
    script: 'chiffchaff identify *.WAV --sites bad_sites.csv --format csv --out x.csv',
    right: [['said', /Mill/]],
  },
  'wav-data-size-wrong': {
    script: IDENTIFY,
    right: [['x.files.csv', /header-1s\.wav,analysed,6[\s\S]*header-44\.wav,analysed,6/]],
  },
  'white-noise': {
    script: 'chiffchaff identify *.wav --lat 52.45 --lon 13.3 --date 2026-10-23',
    right: [
      ['said', /Woodpecker/, 'not'],
      ['said', /steady noise/],
    ],
  },
  'windows-paths-in-tables': {
    script:
      'mkdir -p surv/B; cp *.opus surv/B; chiffchaff segments --in backslash.csv --out c; chiffchaff segments --in other-drive.csv --recordings surv --out c2; ls -R c c2',
    right: [['said', /c:[\s\S]*\.wav[\s\S]*c2:[\s\S]*\.wav/]],
  },
  'wrong-clock-2024': {
    script: 'chiffchaff summarise birds.csv --sites sites.csv --out x; cat x/*.csv | wc -l',
    right: [
      ['said', /6717A2B0/],
      ['said', /^\d{5,}$/m, 'not'],
    ],
  },
};

/** Works on every input of a folder, or on those named, and prints a row for each. @returns whether all are right */
export async function runInputs(folder: string, names: readonly string[]): Promise<boolean> {
  const found = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const wanted = found.map(({ name }) => name).filter((name) => names.length === 0 || names.includes(name));
  let passed = wanted.length > 0;
  for (const what of wanted) {
    const input = INPUTS[what];
    const row: Row =
      input === undefined
        ? { what, figure: 'not known here, so not run' }
        : { what, figure: '', faults: await faultsOf(folder, what, input) };
    passed &&= (row.faults ?? []).length === 0;
    process.stdout.write(rowText(row));
  }
  return passed;
}

async function faultsOf(folder: string, name: string, { script, right, names }: Input): Promise<readonly string[]> {
  const work = await mkdtemp(join(tmpdir(), 'chiffchaff-input-'));
  try {
    await cp(join(folder, name), work, { recursive: true });
    const programs = join(work, '.programs');
    await mkdir(programs);
    await symlink(join(import.meta.dirname, '../../../chiffchaff'), join(programs, 'chiffchaff'));
    const env = { ...process.env, INPUTS: folder, PATH: `${programs}${delimiter}${process.env.PATH}` };
    const run = promisify(execFile)('sh', ['-c', `exec 2>&1; ${script}`], { cwd: work, env, maxBuffer: 1e8 });
    const said = await run.then(
      ({ stdout }) => stdout,
      (error: unknown) => String(error instanceof Error && 'stdout' in error ? error.stdout : error),
    );
    const textOf = (where: string) => (where === 'said' ? said : readFile(join(work, where), 'utf8').catch(() => ''));
    const faults: string[] = [];
    for (const [where, pattern, not] of right) {
      const text = await textOf(where);
      if (pattern.test(text) === (not !== undefined))
        faults.push(`${where} ${not ? 'has' : 'lacks'} ${pattern}: ${text.slice(-600)}`);
    }
    if (names !== undefined) faults.push(...compareNames(await textOf(names), await textOf('x.files.csv')));
    return faults;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What the list of files should say of each name, by the columns that both have. */
function compareNames(tsv: string, csv: string): readonly string[] {
  const rowsOf = (text: string, separator: string): readonly Readonly<Record<string, string>>[] => {
    const [header = '', ...lines] = text.trim().split(/\r?\n/);
    const columns = header.toLowerCase().split(separator);
    return lines.map((line) => Object.fromEntries(line.split(separator).map((cell, at) => [columns[at] ?? '', cell])));
  };
  const found = rowsOf(csv, ',');
  return rowsOf(tsv, '\t').flatMap((wanted) => {
    const row = found.find(({ file }) => file?.replaceAll('"', '').endsWith(wanted.name ?? ''));
    const wrong = ['date', 'time', 'utc', 'latitude', 'longitude'].filter(
      (column) => (wanted[column] ?? '') !== '' && row?.[column] !== wanted[column],
    );
    return wrong.map((column) => `${wanted.name}: ${column} is ${row?.[column] ?? 'missing'}, not ${wanted[column]}`);
  });
}
