import { describe, expect, it } from 'vitest';
import { findSite, readSites } from './sites.ts';

const list = `site,folder,recorder,latitude,longitude,time zone,clock
"Pond, north",cards/A,,50.8357,12.9292,Europe/Berlin,UTC
Pond,cards,,50.8,12.9,,
Meadow,,SMM01234,-33.8,151.2,UTC+10,
`;

describe('A list of sites', () => {
  it('finds the site of a recording by the longest folder, else by the recorder', () => {
    const sites = readSites(list);
    expect(sites[0]).toEqual({
      ...{ site: 'Pond, north', folder: 'cards/A', recorder: '', place: { latitude: 50.8357, longitude: 12.9292 } },
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
    const sites = readSites('Site;Folder;Recorder;Lat;Lon\nA;x;1;50,5;12,25\nB;x;2;;');
    expect(sites[0]?.place).toEqual({ latitude: 50.5, longitude: 12.25 });
    expect(findSite(sites, '/x/y.wav', ['2'])?.site).toBe('B');
    expect(findSite(sites, '/x/y.wav', ['3'])).toBeNull();
  });

  it.each([
    ['folder,latitude\nA,1', 'needs a header with site, and folder or recorder'],
    ['site,folder\n,A', 'Line 2 of the list of sites names no site'],
    ['site,folder\nA,', 'Line 2 of the list of sites has neither folder nor recorder'],
    ['site,folder,latitude,longitude\nA,a,1,2\nB,b,95,2', 'Line 3 of the list of sites: 95, 2 is no place'],
    ['site,folder,latitude,longitude\nA,a,1,', 'Line 2 of the list of sites: 1, nothing is no place'],
    ['site,folder,time zone\nA,a,Europe/Berln', '"Europe/Berln" is no time zone'],
    ['site,folder\n"A,a', "The list of sites can't be read"],
  ])('is refused with the line and what is wrong (%#)', (text, message) => {
    expect(() => readSites(text)).toThrow(message);
  });
});
