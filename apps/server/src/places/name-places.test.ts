import { type Candidate, lifeListSchema, predictionListSchema, storedPredictionSchema } from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { field, file } from '../testing/multipart.ts';
import { type SignedInUser, signUp } from '../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../testing/test-server.ts';

const freiburg = { latitude: 48, longitude: 7.85 };
const wren: Candidate = {
  ...{
    rank: 1,
    scientificName: 'Troglodytes troglodytes',
    commonName: 'Wren',
    confidence: 0.8,
    score: 0.8,
    confidenceWord: 'likely',
  },
  ...{ unusualHere: false, occurrence: null, best: { startSeconds: 0, endSeconds: 3 } },
};
const townAt = vi.fn<(latitude: number, longitude: number) => Promise<string | null>>();

let server: TestServer;
let walker: SignedInUser;
beforeEach(async () => {
  townAt.mockReset();
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' }, places: { townAt } });
  walker = await signUp(server, 'walker@example.org');
  server.analyzer.answerWith({ candidates: [wren] });
  const place = [field('latitude', '48'), field('longitude', '7.85')];
  for (const fields of [place, place, []]) await walker.predict([file('sound'), ...fields]);
});
afterEach(() => server.close());

/** The places in the history and in the life list, each with the number of lookups. */
async function listed() {
  const history = predictionListSchema.parse((await walker.send('GET', '/v1/predictions')).body);
  const inHistory = [history.predictions.map(({ place }) => place), townAt.mock.calls.length];
  const [bird] = lifeListSchema.parse((await walker.send('GET', '/v1/life-list')).body).species;
  return [inHistory, [[bird?.first.place, bird?.firstThisYear?.place], townAt.mock.calls.length]];
}

describe('Stated places', () => {
  it('have the name of their town in lists, which is looked up once for each place', async () => {
    townAt.mockResolvedValue('Freiburg');
    const named = { ...freiburg, town: 'Freiburg' };
    expect(await listed()).toEqual([
      [[null, named, named], 1],
      [[named, named], 2],
    ]);
    expect(townAt).toHaveBeenCalledWith(48, 7.85);
  });

  it('have it in the prediction, too', async () => {
    townAt.mockResolvedValue('Freiburg');
    const { predictions } = predictionListSchema.parse((await walker.send('GET', '/v1/predictions')).body);
    const stored = predictions.map(async ({ id }) => (await walker.send('GET', `/v1/predictions/${id}`)).body);
    const parsed = (await Promise.all(stored)).map((body) => storedPredictionSchema.parse(body));
    expect(parsed.map((one) => one.state === 'done' && one.town)).toEqual([undefined, 'Freiburg', 'Freiburg']);
  });

  it('have no name far from any town, and if the lookup fails', async () => {
    townAt.mockResolvedValueOnce(null).mockRejectedValueOnce(new Error('no places'));
    expect(await listed()).toEqual([
      [[null, freiburg, freiburg], 1],
      [[freiburg, freiburg], 2],
    ]);
  });
});
