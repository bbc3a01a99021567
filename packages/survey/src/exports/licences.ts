/** Licences under which GBIF accepts data, by their SPDX names. */
export const licences = {
  'CC0-1.0': { url: 'https://creativecommons.org/publicdomain/zero/1.0/legalcode', title: 'CC0 1.0 Universal' },
  'CC-BY-4.0': { url: 'https://creativecommons.org/licenses/by/4.0/legalcode', title: 'Creative Commons Attribution 4.0' },
  'CC-BY-NC-4.0': {
    url: 'https://creativecommons.org/licenses/by-nc/4.0/legalcode',
    title: 'Creative Commons Attribution Non Commercial 4.0',
  },
} as const;
export type Licence = keyof typeof licences;
