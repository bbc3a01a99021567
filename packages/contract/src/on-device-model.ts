import { z } from 'zod';

/** `GET /v1/on-device/model`: the model for browsers, and the URL of each of its files. */
export const onDeviceModelSchema = z.object({
  id: z.string(),
  version: z.string(),
  licence: z.string(),
  attribution: z.string(),
  citation: z.string(),
  files: z.array(
    z.object({
      /** path in the model's folder: `manifest.json`, which names others, `LICENSE`, `NOTICE`, `names/de.txt` */
      name: z.string(),
      /** on this origin; changes with the content */
      url: z.string(),
      bytes: z.int().nonnegative(),
      sha256: z.string(),
    }),
  ),
});
export type OnDeviceModel = z.infer<typeof onDeviceModelSchema>;
