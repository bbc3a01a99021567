import { KEEP_AUDIO_CHOICES, type KeepAudio } from '@chiffchaff/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAccountApi } from '../session/session-context.tsx';

const SETTINGS = '/v1/account/settings';

/** Without the contract's schema, which the choice of a recording does not wait for. */
const readChoice = (data: unknown): KeepAudio | null =>
  KEEP_AUDIO_CHOICES.find((choice) => choice === Object(data).keepAudio) ?? null;

/** The account's audio retention for recordings whose request states none; null while it is not known. */
export function useKeepAudioSetting(isWanted = true) {
  const { openHttp, localId } = useAccountApi();
  const queries = useQueryClient();
  const queryKey = ['account', localId, 'settings', 'keepAudio'];
  const setting = useQuery({
    queryKey,
    enabled: isWanted,
    queryFn: async ({ signal }) => readChoice((await (await openHttp()).get<unknown>(SETTINGS, { signal })).data),
    staleTime: 60_000,
  });
  const change = useMutation({
    mutationFn: async (keepAudio: KeepAudio) =>
      readChoice((await (await openHttp()).post<unknown>(SETTINGS, { keepAudio })).data),
    onSuccess: (changed) => queries.setQueryData(queryKey, changed),
  });
  return { setting, change };
}
