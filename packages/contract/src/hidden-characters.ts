/** Scripts with joining or stacking letters, in which a joiner or non-joiner is part of the spelling. */
const joiningScripts = 'Arab Syrc Nkoo Adlm Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Java Bali'
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('');

/** Invisible characters where they are allowed: in words of those scripts, in emoji, and after characters whose form they select. */
const inPlace = new RegExp(
  [
    `(?<=[${joiningScripts}])[\\u200C\\u200D]`,
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Emoji})[\\uFE0E\\uFE0F]',
    '(?<=\\p{sc=Han})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]',
    '(?<=\\p{sc=Mong})[\\u180B-\\u180F]',
    // The flags of England, Scotland and Wales.
    '(?<=\\u{1F3F4})[\\u{E0061}-\\u{E007A}]{5}\\u{E007F}',
  ].join('|'),
  'gu',
);

const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u;

/**
 * Whether a single-line text contains characters that are invisible or change the direction of what follows, which can make it look like
 * another text. Line breaks and other controls count; joiners do not where a script or an emoji needs them.
 */
export function hasHiddenCharacters(text: string): boolean {
  return hidden.test(text.replaceAll(inPlace, ''));
}
