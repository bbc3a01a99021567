import { describe, expect, it } from 'vitest';
import { findSite, readSites } from './sites.ts';

const list = `site,folder,recorder,latitude,longitude,time zone,clock
"Pond, north",cards/A,,50.8357,12.9292,Europe/Berlin,UTC
Pond,cards,,50.8,12.9,,
Meadow,,SMM01234,-33.8,151.2,UTC+10,
`;

describe('A list of sites', () => {
  it('finds the site of a recording by the longest folder, else by the recorder', () => {
    const sites = readSites(list, 'sites.csv');
    expect(sites[0]).toEqual({
      ...{ line: 2, site: 'Pond, north', folder: 'cards/A', recorder: '', place: { latitude: 50.8357, longitude: 12.9292 } },
      ...{ timeZone: 'Europe/Berlin', clock: 'UTC' },
    });
    const siteOf = (path: string, ...recorders: string[]) => findSite(sites, path, recorders)?.site ?? null;
    expect(siteOf('/home/me/cards/A/2026/x.wav')).toBe('Pond, north');
    expect(siteOf('/home/me/cards/AB/x.wav')).toBe('Pond');
    expect(siteOf('C:\\cards\\A\\x.wav')).toBe('Pond, north');
    expect(siteOf('/else/x.wav', 'serial', 'smm01234')).toBe('Meadow');
    expect(siteOf('/else/cards.wav')).toBeNull();
    expect(sites[2]?.timeZone).toBe('+10:00');
  });

  it('requires both folder and recorder if a row has both', () => {
    const sites = readSites('Site;Folder;Recorder;Lat;Lon\nA;x;1;50,5;12,25\nB;x;2;;', 'sites.csv');
    expect(sites[0]?.place).toEqual({ latitude: 50.5, longitude: 12.25 });
    expect(findSite(sites, '/x/y.wav', ['2'])?.site).toBe('B');
    expect(findSite(sites, '/x/y.wav', ['3'])).toBeNull();
  });

  it('is read as spreadsheets save it: Windows-1252, blank rows, a first line with the separator, decimal commas', () => {
    const notes: string[] = [];
    const excel = Buffer.from(
      'sep=;\r\nsite;folder;Lat;Long;Timezone\r\nM\xfchle;Gr\xfcnwald;50,83;12,92;Europe/Berlin\r\n;;;;\r\n',
      'latin1',
    );
    const expected = { line: 3, site: 'Mühle', folder: 'Grünwald', place: { latitude: 50.83, longitude: 12.92 } };
    expect(readSites(excel, 'sites.csv', (note) => notes.push(note))).toMatchObject([expected]);
    expect(notes).toEqual([
      'sites.csv is not UTF-8; it is read as Windows-1252, which gives “Mühle, Grünwald”. If that is wrong, so are other names: save it as CSV UTF-8.',
    ]);
    expect(readSites('site, folder\r"Mill", "A"\r,\r', 'sites.csv')).toMatchObject([{ line: 2, site: 'Mill', folder: 'A' }]);
  });

  it('matches folders whose names a disk has in another form of Unicode', () => {
    for (const form of ['NFC', 'NFD'] as const) {
      const sites = readSites(`site,folder\nKäuzchen,Höhe №3`.normalize(form), 'sites.csv');
      expect(sites[0]?.site).toBe('Käuzchen'.normalize('NFC'));
      for (const path of ['/card/Höhe №3/a.wav', 'D:\\card\\Höhe №3\\a.wav'])
        for (const disk of ['NFC', 'NFD'] as const) expect(findSite(sites, path.normalize(disk), [])?.line).toBe(2);
    }
  });

  it('matches recorders whose names a disk has in another form of Unicode', () => {
    for (const form of ['NFC', 'NFD'] as const) {
      const sites = readSites('site,recorder\nMill,Käuz'.normalize(form), 'sites.csv');
      for (const disk of ['NFC', 'NFD'] as const) expect(findSite(sites, '/x/a.wav', ['käuz'.normalize(disk)])?.line).toBe(2);
    }
  });

  it('says which of its columns are not read, since one may be meant for the place or the time zone', () => {
    const noted = (table: string) => {
      const notes: string[] = [];
      readSites(table, 'sites.csv', (note) => notes.push(note));
      return notes;
    };
    expect(noted('Site,Folder,latitude (deg),timezone_name\nA,A,50.83,Europe/Berlin\nB,B,50.9,Europe/Berlin\n')).toEqual([
      'sites.csv: Columns that are not read: latitude (deg), timezone_name.',
    ]);
    expect(noted('"","Site","Folder","Time.zone"\n"1","A","A","UTC"\n')).toEqual([]);
    expect(noted(list)).toEqual([]);
  });

  it.each([
    ['site,folder\n', 'sites.csv has no site.'],
    ['folder,latitude\nA,1', 'sites.csv needs a header with site, and folder or recorder'],
    ['site,folder\n,A', 'sites.csv: Line 2: "" is no site, which must not be empty'],
    ['site,folder\nA,', 'sites.csv: Line 2: "" is no folder, which must not be empty, unless there is a recorder'],
    ['site,folder,latitude,longitude\nA,a,1,2\nB,b,95,2', 'sites.csv: Line 3: "95" is no latitude, which goes from -90 to 90'],
    ['site,folder,latitude,longitude\nA,a,1,', 'sites.csv: Line 2: "" is no longitude, which belongs to a place'],
    ['site,folder,time zone\nA,a,Europe/Berln', 'sites.csv: Line 2: "Europe/Berln" is no time zone'],
    ['site,folder\n"A,a', 'sites.csv: A row that begins on line 2 has no end'],
  ])('is refused with the line and what is wrong (%#)', (text, message) => {
    expect(() => readSites(text, 'sites.csv')).toThrow(message);
  });
});
