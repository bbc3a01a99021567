/** Exports of a survey for other programs: files as text, for the caller to write. */
export { type CamtrapOptions, camtrapDp, captureMethods, type ExportFile, samplingDesigns } from './camtrap-dp.ts';
export { darwinCore } from './darwin-core.ts';
export { type EbirdOptions, ebirdProtocols, ebirdRecords } from './ebird.ts';
export { type Licence, licences } from './licences.ts';
export { lackingForCamtrap, lackingForDarwinCore, lackingForEbird, type Need } from './needs.ts';
export { ExportError, gatherRecords, type ReadTable, type SurveyRecords } from './survey-records.ts';
export { nameBy, splitRemark } from './taxonomy.ts';
