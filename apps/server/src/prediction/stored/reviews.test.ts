import {
  type BirdReview,
  birdReviewHistorySchema,
  birdReviewsSchema,
  type Candidate,
  predictionListSchema,
  predictionSchema,
} from '@chiffchaff/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { field, file } from '../../testing/multipart.ts';
import { type SignedInUser, signUp } from '../../testing/signed-in.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { countedSpecies } from './listing.ts';

let server: TestServer;
let walker: SignedInUser;
let id: string;

const CHIFFCHAFF = 'Phylloscopus collybita';
const TIT = 'Parus major';
const NUTHATCH = 'Sitta europaea';
const CROW = 'Corvus corone';
const WREN = 'Troglodytes troglodytes';

const candidate = (scientificName: string, commonName: string, confidence: number): Candidate => ({
  ...{ rank: 1, scientificName, commonName, confidence, score: confidence },
  ...{ confidenceWord: 'likely', unusualHere: false, occurrence: null, best: { startSeconds: 0, endSeconds: 3 } },
});
const detection = (scientificName: string, commonName: string, confidence: number) => ({
  ...{ scientificName, commonName, startSeconds: 0, endSeconds: 3, score: 0.8, confidence, occurrence: null, hidden: false },
});

beforeEach(async () => {
  server = await createTestServer({ environment: { OPEN_PREDICTION: 'false' } });
  walker = await signUp(server, 'walker@example.org');
  server.analyzer.answerWith({
    candidates: [candidate(CHIFFCHAFF, 'Zilpzalp', 0.8), candidate(TIT, 'Kohlmeise', 0.6), candidate(NUTHATCH, 'Kleiber', 0.3)],
    hiddenByLocation: [candidate(CROW, 'Rabenkrähe', 0)],
    detections: [detection(CHIFFCHAFF, 'Zilpzalp', 0.8), detection('Pica pica', 'Elster', 0.2)],
  });
  id = (await walker.predict([file('morning'), field('language', 'de')])).body.id;
});
afterEach(() => server.close());

const urlOf = (bird: string, prediction = id): string => `/v1/predictions/${prediction}/reviews/${encodeURIComponent(bird)}`;
const say = (bird: string, body: object) => walker.send('PUT', urlOf(bird), body);
const takeBack = (bird: string) => walker.send('DELETE', urlOf(bird));
const confirmed = (scientificName: string) => ({
  scientificName,
  verdict: 'confirmed',
  to: null,
  toCommonName: null,
});
const toWren = { verdict: 'corrected', to: WREN };
const lifeList = async () => (await walker.send('GET', '/v1/life-list')).body.species;
const birds = async (): Promise<string[]> =>
  (await lifeList()).map(({ scientificName }: { scientificName: string }) => scientificName);
const stored = async (): Promise<readonly BirdReview[] | undefined> =>
  predictionSchema.parse((await walker.send('GET', `/v1/predictions/${id}`)).body.prediction).reviews;
const history = async () => birdReviewHistorySchema.parse((await walker.send('GET', `/v1/predictions/${id}/reviews`)).body);
const listed = async (query = '') =>
  predictionListSchema.parse((await walker.send('GET', `/v1/predictions${query}`)).body).predictions;

describe('A review of a bird', () => {
  it('is returned with the prediction and in the list, the latest of each bird', async () => {
    expect(await stored()).toBeUndefined();
    expect((await listed())[0]).not.toHaveProperty('reviews');
    expect(await say(TIT, { verdict: 'rejected' })).toMatchObject({ status: 200, body: { reviews: [{ verdict: 'rejected' }] } });
    await say(CHIFFCHAFF, { verdict: 'confirmed' });
    const answer = await say(TIT, toWren);
    const { reviews } = birdReviewsSchema.parse(answer.body);
    expect(reviews).toMatchObject([
      { scientificName: TIT, verdict: 'corrected', to: WREN, toCommonName: 'Zaunkönig' },
      confirmed(CHIFFCHAFF),
    ]);
    expect(await stored()).toEqual(reviews);
    expect((await history()).reviews).toEqual(reviews);
    expect((await listed())[0]?.reviews).toEqual(reviews);
    expect((await listed('?language=en_uk'))[0]?.reviews?.[0]?.toCommonName).toBe('Eurasian Wren');
    const elsewhere = await walker.send('POST', `/v1/predictions/${id}/conditions`, { latitude: 50, longitude: 12 });
    expect(elsewhere.body.reviews).toEqual(reviews);
    const [exported] = (await walker.send('GET', '/v1/account/export')).body.predictions;
    expect(exported).toMatchObject({ reviews, reviewHistory: (await history()).history });
    expect(exported.reviewHistory).toHaveLength(3);
  });

  it('stays in force after hundreds of later ones, of which the history keeps only the last two hundred', async () => {
    await say(CROW, { verdict: 'confirmed' });
    await say(NUTHATCH, { verdict: 'confirmed' });
    await takeBack(NUTHATCH);
    for (let n = 0; n < 220; n += 1) await say(TIT, n % 2 === 0 ? { verdict: 'rejected' } : toWren);
    const { reviews, history: all } = await history();
    expect(reviews).toMatchObject([confirmed(CROW), { scientificName: TIT, verdict: 'corrected', to: WREN }]);
    expect(all).toHaveLength(201);
    expect(all.map(({ scientificName }) => scientificName)).toEqual([CROW, ...Array<string>(200).fill(TIT)]);
    expect((await takeBack(CROW)).body.reviews).toMatchObject([{ scientificName: TIT }]);
    expect((await history()).history).toHaveLength(200);
  });

  it('that confirms one of two tied birds puts it on the life list, which had neither before', async () => {
    const [tit, nuthatch] = [
      { ...candidate(TIT, 'Kohlmeise', 0.62), rank: 1, firstSeconds: 3 },
      { ...candidate(NUTHATCH, 'Kleiber', 0.6), rank: 2, firstSeconds: 0 },
    ];
    const verdict = {
      kind: 'unsure',
      tied: true,
      sentence: '',
      named: [nuthatch, tit],
      genus: null,
      notExpectedHere: null,
    } as const;
    server.analyzer.answerWith({ candidates: [tit, nuthatch], verdict: { ...verdict, named: [...verdict.named] } });
    const tied = (await walker.predict([file('tied'), field('language', 'de')])).body.id;
    const row = async () => (await listed('?search=kleiber')).find((one) => one.id === tied);
    expect(await row()).toMatchObject({
      species: [],
      verdict: { tiedBirds: [{ scientificName: TIT }, { scientificName: NUTHATCH }] },
    });
    expect(await birds()).not.toContain(NUTHATCH);
    await walker.send('PUT', urlOf(NUTHATCH, tied), { verdict: 'confirmed' });
    expect(await birds()).toContain(NUTHATCH);
    expect(await row()).toBeDefined();
  });

  it('that confirms a bird puts it on the life list even if it does not live at the assumed place', async () => {
    const named = { ...candidate(NUTHATCH, 'Kleiber', 0.95), rank: 1, firstSeconds: 0, assumed: 'elsewhere' } as const;
    const verdict = { kind: 'identified', tied: false, sentence: '', genus: null, notExpectedHere: null } as const;
    server.analyzer.answerWith({ candidates: [named], verdict: { ...verdict, named: [named] } });
    const doubtful = (await walker.predict([file('doubtful'), field('language', 'de')])).body.id;
    const row = async () => (await listed()).find((one) => one.id === doubtful);
    expect(await row()).toMatchObject({ species: [], verdict: { named: [{ scientificName: NUTHATCH }] } });
    expect(await birds()).not.toContain(NUTHATCH);
    await walker.send('PUT', urlOf(NUTHATCH, doubtful), { verdict: 'confirmed' });
    expect(await lifeList()).toContainEqual(
      expect.objectContaining({
        scientificName: NUTHATCH,
        first: expect.objectContaining({ confirmed: true, confidence: 0.95 }),
      }),
    );
  });

  it('can be about any bird in the prediction, and about another bird only to add it', async () => {
    for (const bird of [CHIFFCHAFF, TIT, NUTHATCH, CROW, 'Pica pica'])
      expect((await say(bird, { verdict: 'confirmed' })).status).toBe(200);
    for (const said of [{ verdict: 'confirmed' }, { verdict: 'rejected' }, { verdict: 'corrected', to: CROW }]) {
      const refused = await say(WREN, said);
      expect(refused).toMatchObject({ status: 422, body: { code: 'SPECIES_NOT_MENTIONED' } });
      expect(refused.body.detail).toContain('To add the bird, send the verdict "added".');
    }
    for (const to of ['Unicornis vulgaris', CHIFFCHAFF]) {
      const refused = await say(CHIFFCHAFF, { verdict: 'corrected', to });
      expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'to' }] } });
    }
    for (const body of [{}, { verdict: 'corrected' }, { verdict: 'added', to: WREN }, { verdict: 'withdrawn' }]) {
      expect((await say(CHIFFCHAFF, body)).status, JSON.stringify(body)).toBe(400);
    }
  });

  it('and its withdrawal are stored in order, and repeating either stores nothing', async () => {
    for (let time = 0; time < 2; time += 1) await say(CHIFFCHAFF, toWren);
    const [first] = (await history()).history;
    await say(TIT, { verdict: 'rejected' });
    for (let time = 0; time < 2; time += 1) await takeBack(CHIFFCHAFF);
    for (let time = 0; time < 2; time += 1) await say(CHIFFCHAFF, { verdict: 'confirmed' });
    await takeBack(NUTHATCH);
    const kept = await history();
    expect(kept.history).toMatchObject([
      { scientificName: CHIFFCHAFF, commonName: 'Zilpzalp', verdict: 'corrected', to: WREN, toCommonName: 'Zaunkönig' },
      { scientificName: TIT, verdict: 'rejected', to: null },
      { scientificName: CHIFFCHAFF, commonName: 'Zilpzalp', verdict: 'withdrawn', to: null, toCommonName: null },
      { scientificName: CHIFFCHAFF, verdict: 'confirmed', to: null },
    ]);
    expect(kept.history[0]).toEqual(first);
    expect(kept.reviews).toMatchObject([{ verdict: 'rejected' }, { verdict: 'confirmed' }]);
  });

  it('made in bulk says so, changes no other review, and becomes an ordinary one when the bird is confirmed by itself', async () => {
    const bulk = { verdict: 'confirmed', bulk: true };
    await say(TIT, { verdict: 'rejected' });
    await say(TIT, bulk);
    await say(CHIFFCHAFF, bulk);
    await say(CHIFFCHAFF, bulk);
    expect(await stored()).toMatchObject([
      { scientificName: TIT, verdict: 'rejected' },
      { ...confirmed(CHIFFCHAFF), bulk: true },
    ]);
    expect(await birds()).toContain(CHIFFCHAFF);
    expect((await history()).history).toHaveLength(2);
    await say(CHIFFCHAFF, { verdict: 'confirmed' });
    expect((await stored())?.[1]).not.toHaveProperty('bulk');
    await say(CHIFFCHAFF, bulk);
    expect((await history()).history).toHaveLength(3);
    expect((await say(TIT, { verdict: 'rejected', bulk: true })).status).toBe(400);
  });

  it('can be withdrawn, also twice without an error', async () => {
    await say(CHIFFCHAFF, { verdict: 'rejected' });
    for (let time = 0; time < 2; time += 1) {
      expect(await takeBack(CHIFFCHAFF)).toMatchObject({ status: 200, body: { reviews: [] } });
    }
    expect(await stored()).toBeUndefined();
    expect(await birds()).toEqual([TIT, CHIFFCHAFF]);
  });

  it('adds a bird that is not in the prediction: it joins the life list, is found by the search, and can be removed', async () => {
    const added = (await say(WREN, { verdict: 'added' })).body.reviews;
    expect(added).toMatchObject([{ scientificName: WREN, commonName: 'Zaunkönig', verdict: 'added', to: null }]);
    expect(await lifeList()).toContainEqual(
      expect.objectContaining({
        scientificName: WREN,
        commonName: 'Zaunkönig',
        first: expect.objectContaining({ confirmed: true, confidence: 0 }),
      }),
    );
    for (const query of ['?search=zaunk', '?confirmed=true', `?species=${encodeURIComponent(WREN)}`])
      expect((await listed(query))[0]?.reviews, query).toEqual(added);
    expect((await say(WREN, { verdict: 'confirmed' })).body.reviews).toEqual(added);
    await takeBack(WREN);
    expect(await birds()).not.toContain(WREN);
    expect(await listed('?search=zaunk')).toEqual([]);
    expect((await history()).history).toMatchObject([{ verdict: 'added' }, { verdict: 'withdrawn', commonName: 'Zaunkönig' }]);
  });

  it('can be changed for a bird that was added', async () => {
    await say(WREN, { verdict: 'added' });
    await say(WREN, { verdict: 'corrected', to: 'Regulus regulus' });
    expect(await birds()).toEqual([TIT, CHIFFCHAFF, 'Regulus regulus']);
    await say(WREN, { verdict: 'rejected' });
    expect(await birds()).toEqual([TIT, CHIFFCHAFF]);
    expect((await say(WREN, { verdict: 'added' })).body.reviews).toMatchObject([{ verdict: 'added' }]);
  });

  it('adds a bird to a prediction with none', async () => {
    server.analyzer.answerWith({ candidates: [], hiddenByLocation: [], detections: [] });
    const nothing = (await walker.predict([file('silence'), field('language', 'de')])).body.id;
    await walker.send('PUT', urlOf(WREN, nothing), { verdict: 'added' });
    expect((await listed('?search=zaunk')).map((one) => one.id)).toEqual([nothing]);
  });

  it('that adds a bird of the prediction confirms that bird, and is refused for a bird unknown to the model', async () => {
    expect((await say(TIT, { verdict: 'added' })).body.reviews).toMatchObject([confirmed(TIT)]);
    const refused = await say('Unicornis vulgaris', { verdict: 'added' });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'scientificName' }] } });
  });

  it('can be made and withdrawn only by the owner of the prediction; other accounts are answered 404', async () => {
    const other = await signUp(server, 'other@example.org');
    for (const method of ['PUT', 'DELETE'] as const) {
      const refused = await other.send(method, urlOf(CHIFFCHAFF), { verdict: 'confirmed' });
      expect(refused).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
    expect(await stored()).toBeUndefined();
  });

  it('is restored with a deleted prediction, and refused while that is deleted', async () => {
    await say(CHIFFCHAFF, { verdict: 'rejected' });
    await walker.send('DELETE', `/v1/predictions/${id}`);
    expect((await say(TIT, { verdict: 'rejected' })).status).toBe(404);
    expect(await birds()).toEqual([]);
    await walker.send('POST', `/v1/predictions/${id}/restore`);
    expect(await stored()).toMatchObject([{ scientificName: CHIFFCHAFF, verdict: 'rejected' }]);
    expect(await birds()).toEqual([TIT]);
  });

  it('is stored, one for each bird, when many arrive at once, and the life list agrees with them', async () => {
    const said = [CHIFFCHAFF, TIT, NUTHATCH, CROW].flatMap((bird) => [say(bird, { verdict: 'confirmed' }), say(bird, toWren)]);
    expect((await Promise.all(said)).map(({ status }) => status)).toEqual(said.map(() => 200));
    expect(await stored()).toHaveLength(4);
    const wrens = (await stored())?.filter(({ to }) => to === WREN).length ?? 0;
    expect((await birds()).includes(WREN)).toBe(wrens > 0);
  });

  it('is in Chiffchaff’s own tables, and not in those for other programs', async () => {
    await say(CHIFFCHAFF, toWren);
    await say('Pica pica', { verdict: 'confirmed' });
    const read = async (format: string): Promise<string> =>
      (await walker.send('GET', `/v1/predictions/${id}/export?format=${format}`)).text;
    await say(NUTHATCH, { verdict: 'confirmed' });
    await say(CROW, { verdict: 'rejected' });
    await say(WREN, { verdict: 'added' });
    const rows = (await read('csv')).trim().split('\n');
    expect(rows.map((row) => row.split(',').slice(-2))).toEqual([
      ['Review', 'Reviewed as'],
      ['corrected to Zaunkönig', WREN],
      ['confirmed', 'Pica pica'],
      ['confirmed', NUTHATCH],
      ['added', WREN],
    ]);
    const { durationSeconds } = predictionSchema.parse(JSON.parse(await read('json'))).recording;
    expect(rows.at(-1)).toMatch(new RegExp(`^0,${durationSeconds},${WREN},Zaunkönig,,,,FALSE,`));
    expect(JSON.parse(await read('json')).reviews).toEqual(await stored());
    for (const format of ['raven', 'audacity']) expect(await read(format)).not.toMatch(/confirmed|Zaunkönig|Kleiber/);
  });
});

describe('The life list of an account', () => {
  it('excludes rejected and corrected birds, and includes those they were corrected to', async () => {
    expect(await birds()).toEqual([TIT, CHIFFCHAFF]);
    await say(TIT, { verdict: 'rejected' });
    expect(await birds()).toEqual([CHIFFCHAFF]);
    await say(CHIFFCHAFF, toWren);
    expect(await lifeList()).toMatchObject([
      { scientificName: WREN, commonName: 'Zaunkönig', first: { confirmed: true, confidence: 0 }, predictions: 1 },
    ]);
    expect((await listed('?search=zaun')).map((one) => one.id)).toEqual([id]);
    await takeBack(CHIFFCHAFF);
    expect(await birds()).toEqual([CHIFFCHAFF]);
    expect(await listed('?search=zaun')).toEqual([]);
  });

  it('marks birds confirmed in any recording, and includes them however unsure the prediction is', async () => {
    await walker.predict([file('evening')]);
    await say(NUTHATCH, { verdict: 'confirmed' });
    await say(TIT, { verdict: 'confirmed' });
    expect(await lifeList()).toMatchObject([
      { scientificName: TIT, first: { confirmed: true, confidence: 0.6 }, predictions: 2 },
      { scientificName: CHIFFCHAFF, first: { confirmed: false }, predictions: 2 },
      { scientificName: NUTHATCH, first: { confirmed: true, confidence: 0.3 }, predictions: 1 },
    ]);
  });

  it('counts a rejected bird as confirmed if another bird of the same prediction was corrected to it', () => {
    const row = { commonName: '', confidence: 0, toCommonName: null };
    const counted = countedSpecies(
      [{ scientificName: TIT, commonName: 'Kohlmeise', confidence: 0.6 }],
      [
        { ...row, scientificName: TIT, verdict: 'rejected', toScientificName: null },
        { ...row, scientificName: WREN, verdict: 'corrected', toScientificName: TIT },
      ],
    );
    expect(counted).toEqual([{ scientificName: TIT, commonName: 'Kohlmeise', confidence: 0.6, confirmed: 1 }]);
  });
});

describe('The search for a bird in the history', () => {
  const find = async (query: string) => (await walker.send('GET', `/v1/species/search?${query}`)).body.species;

  it('finds it by words of its name in a language, and by its scientific name', async () => {
    for (const query of ['q=zaunkon&language=de', 'q=Troglodytes&language=de', 'q=trog%20zaun&language=de']) {
      expect(await find(query), query).toEqual([{ scientificName: WREN, commonName: 'Zaunkönig' }]);
    }
    expect(await find('q=wren')).toEqual([{ scientificName: WREN, commonName: 'Eurasian Wren' }]);
    expect(await find('q=zaunkonig')).toEqual([{ scientificName: WREN, commonName: 'Eurasian Wren' }]);
    expect(await find('q=ren')).toEqual([{ scientificName: WREN, commonName: 'Eurasian Wren' }]);
    for (const query of ['q=wrens', 'q=wren%20duck', 'q=%2B']) expect(await find(query), query).toEqual([]);
    expect((await walker.send('GET', '/v1/species/search?q=wren&language=xx')).status).toBe(400);
  });
});
