/**
 * A moment of a recording as people read it: `0:03.2`, `12:05`, `1:02:05`.
 *
 * @param decimals digits after the seconds
 * @param withHours write hours even where there is none yet, `0:12:05`, as beside others that have some
 */
export function timeLabel(seconds: number, decimals = 0, withHours = false): string {
  const rounded = Number(seconds.toFixed(decimals));
  const hours = Math.floor(rounded / 3600);
  const minutes = Math.floor((rounded % 3600) / 60);
  const rest = (rounded % 60).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, '0');
  return hours > 0 || withHours ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
