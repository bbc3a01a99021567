import { useQuery } from '@tanstack/react-query';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { speciesProfileQuery } from '../../platform/api/species.ts';
import { useNamesLanguage } from '../../platform/format/names-language.ts';

/** The profile of a bird by any of its scientific names, with common names in the user's language. */
export function useSpeciesProfile(name: string) {
  const { data: config } = usePublicConfig();
  const language = useNamesLanguage();
  return useQuery({ ...speciesProfileQuery(config?.apiOrigin ?? '', name, language), enabled: config !== undefined });
}

/** A bird's common name; the scientific one until it has loaded, and if the model does not know the bird. */
export function useSpeciesName(scientificName: string): string {
  return useSpeciesProfile(scientificName).data?.commonName ?? scientificName;
}
