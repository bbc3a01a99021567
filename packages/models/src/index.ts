/** Obtains, verifies and converts models, and reads the folders it has written. */
export { readChangedNames } from './catalogue.ts';
export { ModelError, type ModelErrorCode } from './errors.ts';
export { type InstallProgress, installModel } from './install/install-model.ts';
export { type ModelFolder, modelFolderOf, readModelFolder, verifyModelFolder } from './install/model-folder.ts';
export { listWebFiles } from './install/web-files.ts';
