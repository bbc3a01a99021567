import type { MailLanguage } from '../identity/mail/mailer.ts';
import { type Finding, levelOf, type TroubleCode } from './troubles.ts';

/** The name of the thing that is in trouble or not, what was found, and what to do; the last two are complete sentences. */
type TroubleText = Readonly<Record<'name' | 'found' | 'remedy', string>>;

const megabytes = ({ measured }: Finding): number => Math.round((measured ?? 0) / 1_000_000);
/** A length of time in its largest fitting unit, such as `3 hours`. */
function timeOf({ measured }: Finding, language: MailLanguage): string {
  const minutes = Math.abs(measured ?? 0) / 60;
  const [value, unit] = minutes < 120 ? [minutes, 'minute'] : minutes < 2880 ? [minutes / 60, 'hour'] : [minutes / 1440, 'day'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 }).format(value);
}
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** What was found of the model, by the reason of its trouble. */
const modelFound: Readonly<Record<MailLanguage, Readonly<Record<string, string>>>> = {
  en: {
    none: 'The model’s files are intact.',
    MODEL_NOT_INSTALLED: 'The model is not installed, so no recording can be analysed.',
    MODEL_DAMAGED:
      'The files of the model have changed since it was installed. A server that has loaded it can analyse recordings only until it must load it again.',
    MODEL_EXCHANGED: 'Another model was installed while the server was running, so recordings wait until it is restarted.',
    OTHER_MODEL: 'Another machine with this database has another model, so this one does not load its own: results would differ.',
  },
  de: {
    none: 'Die Dateien des Modells sind unversehrt.',
    MODEL_NOT_INSTALLED: 'Das Modell ist nicht installiert. Keine Aufnahme kann ausgewertet werden.',
    MODEL_DAMAGED:
      'Die Dateien des Modells haben sich seit der Installation verändert. Ein Server, der es geladen hat, kann Aufnahmen nur auswerten, bis er es neu laden muss.',
    MODEL_EXCHANGED:
      'Während der Server lief, wurde ein anderes Modell installiert. Deshalb warten Aufnahmen, bis er neu gestartet wird.',
    OTHER_MODEL:
      'Ein anderer Rechner mit dieser Datenbank hat ein anderes Modell. Deshalb lädt dieser seines nicht: Die Ergebnisse wären verschieden.',
  },
};

/** What the operator is told of each trouble; in English also in `admin doctor`. */
export const troubleTexts: Readonly<Record<MailLanguage, Readonly<Record<TroubleCode, (finding: Finding) => TroubleText>>>> = {
  en: {
    disk: (finding) => ({
      name: 'disk space',
      found:
        [
          `${megabytes(finding)} MB are free on the disk of DATA_DIR.`,
          `Only ${megabytes(finding)} MB are free on the disk of DATA_DIR, so recordings are refused.`,
          'The disk of DATA_DIR is full, so nothing can be stored.',
        ][Math.max(0, levelOf(finding) - 1)] ?? '',
      remedy: 'Free some space or enlarge the disk: recordings are refused once less than MIN_FREE_DISK_BYTES is free.',
    }),
    model: ({ reason }) => ({
      name: 'model',
      found: modelFound.en[reason ?? 'none'] ?? '',
      remedy:
        reason === 'MODEL_EXCHANGED'
          ? 'Restart the server to use it. To use the published one, run "npm run model -- install" before.'
          : 'Run "npm run model -- install", with the same version and MODEL_ID on all machines. The server then loads the model by itself and analyses the recordings that have arrived.',
    }),
    decoder: ({ isBad }) => ({
      name: 'decoder',
      found: isBad ? 'ffmpeg is missing, so no recording can be analysed.' : 'ffmpeg is installed.',
      remedy: 'Restart the server with "npm start", which downloads ffmpeg, or set FFMPEG_PATH to version 5 or later.',
    }),
    clock: (finding) => ({
      name: 'clock',
      found: finding.isBad
        ? `The clock of this machine is ${timeOf(finding, 'en')} ${finding.reason ? 'behind the latest time in the database: it is behind now, or was ahead then' : 'ahead of the database'}.`
        : 'The clock of this machine agrees with the database.',
      remedy: `Synchronise the clock, for example with "timedatectl set-ntp true". Until then, sessions and kept audio end at wrong times.${finding.reason === 'hasRunLater' ? ' If the clock is right and was ahead before, run "./chiffchaff admin doctor --clock-is-right".' : ''}`,
    }),
    backup: ({ isBad, reason, measured }) => ({
      name: 'backup',
      found:
        measured !== null
          ? reason === 'future'
            ? `The last backup is noted for ${dayOf(measured)}, which is in the future, so it does not count: the clock was ahead then, or is behind now.`
            : `The last backup was made on ${dayOf(measured)}${isBad ? ', more than two days ago' : ''}.`
          : isBad
            ? 'There is no backup.'
            : 'There is no backup, and hardly anything to back up yet.',
      remedy:
        'Run "npm run backup -- FOLDER" every night. If you back up in another way, run "./chiffchaff admin backup-made" after each backup.',
    }),
    waiting: (finding) => ({
      name: 'waiting time',
      found:
        finding.measured === 0 ? 'No recording is waiting.' : `A recording has waited ${timeOf(finding, 'en')} for its answer.`,
      remedy: 'The log says whether analyses fail. If they do not, the server needs more INFERENCE_WORKERS, or another machine.',
    }),
  },
  de: {
    disk: (finding) => ({
      name: 'Speicherplatz',
      found:
        [
          `Auf dem Datenträger von DATA_DIR sind ${megabytes(finding)} MB frei.`,
          `Auf dem Datenträger von DATA_DIR sind nur noch ${megabytes(finding)} MB frei. Deshalb werden Aufnahmen abgelehnt.`,
          'Der Datenträger von DATA_DIR ist voll. Nichts kann gespeichert werden.',
        ][Math.max(0, levelOf(finding) - 1)] ?? '',
      remedy:
        'Gib Platz frei oder vergrößere den Datenträger: Ist weniger als MIN_FREE_DISK_BYTES frei, werden Aufnahmen abgelehnt.',
    }),
    model: ({ reason }) => ({
      name: 'Modell',
      found: modelFound.de[reason ?? 'none'] ?? '',
      remedy:
        reason === 'MODEL_EXCHANGED'
          ? 'Starte den Server neu, damit er es verwendet. Soll er das veröffentlichte verwenden, führe vorher „npm run model -- install“ aus.'
          : 'Führe „npm run model -- install“ aus, auf allen Rechnern mit derselben Version und MODEL_ID. Der Server lädt das Modell dann von selbst und wertet die Aufnahmen aus, die schon angekommen sind.',
    }),
    decoder: ({ isBad }) => ({
      name: 'Decoder',
      found: isBad ? 'ffmpeg fehlt. Keine Aufnahme kann ausgewertet werden.' : 'ffmpeg ist installiert.',
      remedy:
        'Starte den Server mit „npm start“ neu, das ffmpeg herunterlädt, oder setze FFMPEG_PATH auf ein ffmpeg ab Version 5.',
    }),
    clock: (finding) => ({
      name: 'Uhr',
      found: finding.isBad
        ? finding.reason
          ? `Die letzte Zeit in der Datenbank ist der Uhr dieses Rechners ${timeOf(finding, 'de')} voraus: Die Uhr geht jetzt nach, oder sie ging damals vor.`
          : `Die Uhr dieses Rechners geht der Datenbank ${timeOf(finding, 'de')} vor.`
        : 'Die Uhr dieses Rechners stimmt mit der Datenbank überein.',
      remedy: `Stelle die Uhr, zum Beispiel mit „timedatectl set-ntp true“. Bis dahin enden Sitzungen und aufbewahrte Aufnahmen zur falschen Zeit.${finding.reason === 'hasRunLater' ? ' Wenn die Uhr stimmt und vorher vorging, führe „./chiffchaff admin doctor --clock-is-right“ aus.' : ''}`,
    }),
    backup: ({ isBad, reason, measured }) => ({
      name: 'Datensicherung',
      found:
        measured !== null
          ? reason === 'future'
            ? `Die letzte Datensicherung ist für den ${dayOf(measured)} vermerkt. Das liegt in der Zukunft und zählt nicht: Die Uhr ging damals vor, oder sie geht jetzt nach.`
            : `Die letzte Datensicherung ist vom ${dayOf(measured)}${isBad ? ' und damit älter als zwei Tage' : ''}.`
          : isBad
            ? 'Es gibt keine Datensicherung.'
            : 'Es gibt keine Datensicherung, aber auch noch kaum Daten.',
      remedy:
        'Führe jede Nacht „npm run backup -- ORDNER“ aus. Wenn du anders sicherst, führe danach jedes Mal „./chiffchaff admin backup-made“ aus.',
    }),
    waiting: (finding) => ({
      name: 'Wartezeit',
      found:
        finding.measured === 0
          ? 'Keine Aufnahme wartet.'
          : `Eine Aufnahme wartet schon ${timeOf(finding, 'de')} auf ihre Antwort.`,
      remedy:
        'Im Protokoll steht, ob Auswertungen scheitern. Wenn nicht, braucht der Server mehr INFERENCE_WORKERS oder einen weiteren Rechner.',
    }),
  },
};
