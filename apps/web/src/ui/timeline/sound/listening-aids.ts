import { preferences } from '../../../platform/storage/preferences.ts';

export const highPasses = [0, 500, 1000, 2000] as const;
export const gains = [0, 6, 12, 18, 24] as const;

/** How recordings are played; they stay as they are. */
export interface ListeningAids {
  /** What is below (Hz) is left out; 0 leaves out nothing. */
  readonly highPassHz: (typeof highPasses)[number];
  readonly gainDecibels: (typeof gains)[number];
  /** Half as fast, as high. */
  readonly isHalfSpeed: boolean;
  /** A passage that is played begins again at its end. */
  readonly isLooped: boolean;
}

/** The chosen aids; what is damaged or unknown counts as not chosen. */
export function readAids(stored: unknown): ListeningAids {
  const chosen: { readonly [name: string]: unknown } = Object(stored);
  return {
    highPassHz: highPasses.find((hz) => hz === chosen.highPassHz) ?? 0,
    gainDecibels: gains.find((decibels) => decibels === chosen.gainDecibels) ?? 0,
    isHalfSpeed: chosen.isHalfSpeed === true,
    isLooped: chosen.isLooped === true,
  };
}

/** Q (dB) of two filters that together are a Butterworth filter of fourth order: 24 dB an octave, flat above. */
const HIGH_PASS_Q = [-5.33, 2.32] as const;
/** Keeps what is made louder below full scale, with what browsers add to a limiter's output. */
const LIMITER = { threshold: -6, knee: 0, ratio: 20, attack: 0.001, release: 0.1 } as const;

/** What a player's sound goes through on its way to the loudspeaker, in order. */
export function createAidNodes(context: BaseAudioContext, { highPassHz, gainDecibels }: ListeningAids): readonly AudioNode[] {
  const highPass = HIGH_PASS_Q.map((Q) => new BiquadFilterNode(context, { type: 'highpass', frequency: highPassHz, Q }));
  const louder = [new GainNode(context, { gain: 10 ** (gainDecibels / 20) }), new DynamicsCompressorNode(context, LIMITER)];
  return [...(highPassHz > 0 ? highPass : []), ...(gainDecibels > 0 ? louder : [])];
}

/** A player's sound can be taken out of it only once. */
const sources = new WeakMap<HTMLMediaElement, MediaElementAudioSourceNode>();
/** Opened with the first aid that needs it: a page has one, because browsers limit their number. */
let opened: AudioContext | null = null;

/** Applies the chosen listening aids to what a player plays, now and as they change. */
export function attachListeningAids(audio: HTMLMediaElement) {
  let nodes: readonly AudioNode[] = [];
  const apply = () => {
    const aids = readAids(preferences.snapshot().listeningAids);
    audio.preservesPitch = true;
    audio.defaultPlaybackRate = aids.isHalfSpeed ? 0.5 : 1; // what a new address begins with
    audio.playbackRate = audio.defaultPlaybackRate;
    let source = sources.get(audio);
    if (!source) {
      if (aids.highPassHz === 0 && aids.gainDecibels === 0) return;
      opened ??= new AudioContext();
      source = opened.createMediaElementSource(audio);
      sources.set(audio, source);
    }
    for (const node of [source, ...nodes]) node.disconnect();
    nodes = createAidNodes(source.context, aids);
    [...nodes, source.context.destination].reduce<AudioNode>((from, to) => from.connect(to), source);
    void opened?.resume();
  };
  const changed = () => {
    if (!audio.paused) apply();
  };
  const unsubscribe = preferences.subscribe(changed);
  // An open context keeps the device's sound awake.
  audio.addEventListener('pause', () => void opened?.suspend());
  return {
    /** Call when the user asks to play: browsers open sound only then. */
    apply,
    isLooped: () => readAids(preferences.snapshot().listeningAids).isLooped,
    close: unsubscribe,
  };
}
