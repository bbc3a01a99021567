/** Escapes text for HTML: names come from files and from other people's tables. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(CONTROLS, '\ufffd');
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are to go
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A field of a heat map. */
export interface Field {
  /** number in the field; null: not listened */
  readonly shown: number | null;
  /** what the colour shows, at least 0; in the same unit within a row */
  readonly strength: number;
}

export interface HeatMapColumn {
  /** short, above the column */
  readonly shown: string;
  /** complete, for readers who cannot see the group above */
  readonly told: string;
  /** Heading above several columns; adjacent columns with the same one form a group. */
  readonly group?: string;
}

export interface HeatMap {
  readonly id: string;
  readonly caption: string;
  /** heading of the row names */
  readonly corner: string;
  readonly columns: readonly HeatMapColumn[];
  readonly rows: readonly { readonly name: string; readonly note?: string; readonly fields: readonly Field[] }[];
}

const SHADES = 5;

/** A table whose fields are shaded, each row relative to its own maximum. The table scrolls, so that the page need not. */
export function heatMap({ id, caption, corner, columns, rows }: HeatMap): string {
  const groups = groupsOf(columns);
  const groupRow =
    groups.length > 0
      ? `<tr>${groups.map(({ name, span }) => `<th scope="colgroup" colspan="${span}">${escapeHtml(name)}</th>`).join('')}</tr>`
      : '';
  const columnCells = columns
    .map(({ shown, told }) => `<th scope="col"><abbr title="${escapeHtml(told)}">${escapeHtml(shown)}</abbr></th>`)
    .join('');
  const cornerCell = `<th scope="col"${groupRow === '' ? '' : ' rowspan="2"'}>${escapeHtml(corner)}</th>`;
  const head =
    groupRow === ''
      ? `<tr>${cornerCell}${columnCells}</tr>`
      : `${groupRow.replace('<tr>', `<tr>${cornerCell}`)}<tr>${columnCells}</tr>`;
  const body = rows.map(({ name, note, fields }) => {
    const most = Math.max(0, ...fields.map(({ strength }) => strength));
    const small = note === undefined ? '' : ` <small>${escapeHtml(note)}</small>`;
    return `<tr><th scope="row">${escapeHtml(name)}${small}</th>${fields.map((field) => fieldCell(field, most)).join('')}</tr>`;
  });
  return `<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
<table class="heat"><caption id="${id}">${escapeHtml(caption)}</caption>
<thead>${head}</thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}

function fieldCell({ shown, strength }: Field, most: number): string {
  if (shown === null) return '<td class="none"><span class="unseen">not listened</span></td>';
  const shade = strength === 0 || most === 0 ? 0 : Math.max(1, Math.ceil((strength / most) * SHADES));
  return `<td class="s${shade}">${shown}</td>`;
}

function groupsOf(columns: readonly HeatMapColumn[]): { name: string; span: number }[] {
  const groups: { name: string; span: number }[] = [];
  for (const { group } of columns) {
    if (group === undefined) return [];
    const last = groups.at(-1);
    if (last?.name === group) last.span += 1;
    else groups.push({ name: group, span: 1 });
  }
  return groups;
}
