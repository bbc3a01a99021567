import { openData, type ServerData } from '../admin/open-data.ts';
import { readConfig } from '../config/config.ts';
import type { TestServer } from './test-server.ts';
import { storesOf } from './test-stores.ts';

/** Opens the data of a test server as a program beside it does. */
export const openServerData = async (
  { dataDir }: Pick<TestServer, 'dataDir'>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerData> => openData(readConfig({ ...(await storesOf(dataDir)), DATA_DIR: dataDir, ...environment }));
