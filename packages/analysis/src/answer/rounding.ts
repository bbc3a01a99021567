/** A finding of the check-up, with its share rounded. */
export function roundShare<Finding extends { readonly share: number }>(finding: Finding): Finding {
  return { ...finding, share: round(finding.share) };
}

/** To a millionth: more digits mean nothing and make answers long. */
export function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
