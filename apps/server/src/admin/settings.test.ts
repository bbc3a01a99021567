import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openServerData } from '../testing/server-data.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';
import { adminProgram } from './admin-program.ts';
import { getSettings, setSetting } from './settings.ts';

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer({ fixedSettings: { county: 'Chemnitz' } });
});
afterEach(() => server.close());

const openData = async () => {
  const data = await openServerData(server);
  return { ...data, config: { ...data.config, fixedSettings: { county: 'Chemnitz' } } };
};

describe('`./chiffchaff admin settings`', () => {
  it('changes a setting, which a running server uses, and unsets it', async () => {
    await using data = await openData();
    const siteName = async () => (await server.app.inject('/config.json')).json().terms.siteName;
    expect(await setSetting(data, 'siteName', ' Birds ')).toBe('siteName is now Birds.');
    expect(await getSettings(data, 'siteName')).toBe('Birds');
    await eventually(async () => expect(await siteName()).toBe('Birds'));
    expect(await setSetting(data, 'siteName', '')).toBe('siteName is no longer set.');
    expect(await getSettings(data, 'siteName')).toBe('');
    await eventually(async () => expect(await siteName()).toBeNull());
  });

  it('lists all settings, and which of them the settings file fixes', async () => {
    await using data = await openData();
    await setSetting(data, 'defaultPlace', '50.83, 12.92, Chemnitz');
    const listed = await getSettings(data);
    expect(listed).toMatch(/^setting +value +fixed by\n/);
    expect(listed).toMatch(/\ncounty +Chemnitz +SETTINGS_FILE\n/);
    expect(listed).toMatch(/\ndefaultPlace +50\.83, 12\.92, Chemnitz\n/);
    expect(listed).toMatch(/\nspeciesPictures +-$/);
  });

  it('accepts a place in the southern hemisphere, whose latitude looks like an option', async () => {
    await using data = await openData();
    const program = adminProgram(async (run) => void (await run(data)));
    await program.parseAsync(['settings', 'set', 'defaultPlace', '-12.05, -77.04, Lima'], { from: 'user' });
    expect(await getSettings(data, 'defaultPlace')).toBe('-12.05, -77.04, Lima');
  });

  it('says what is valid when it refuses a value, and does not change what the settings file fixes', async () => {
    await using data = await openData();
    await expect(setSetting(data, 'disputeYears', '99')).rejects.toThrow(
      'disputeYears must be a whole number of years from 1 to 30, for example 3.',
    );
    await expect(setSetting(data, 'county', 'Leipzig')).rejects.toThrow('county is fixed by SETTINGS_FILE.');
    expect(await getSettings(data, 'county')).toBe('Chemnitz');
  });
});
