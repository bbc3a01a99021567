/** Sound in, detections out. The core knows no runtime: it is handed samples and a model. */
export * from './model/manifest.ts';
