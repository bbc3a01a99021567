/** Style of the report: from 390 px on, light and dark, also on paper. */
export const reportStyle = `
:root { color-scheme: light dark; --page: #fbfaf6; --ink: #22281f; --soft: #5d6656; --line: #d9dccf; --card: #fff;
  --s1: #dcebd0; --s2: #b3d69c; --s3: #7cb768; --s4: #357f3b; --s5: #1d5f30; --on-dark: #fff; --none: #ecebe4; --hatch: #d3d1c5; }
@media (prefers-color-scheme: dark) { :root { --page: #161a15; --ink: #e8ebe2; --soft: #a6af9d; --line: #3a4137; --card: #1e231c;
  --s1: #26382a; --s2: #2d5236; --s3: #3b7446; --s4: #7fbb77; --s5: #bfe3ac; --on-dark: #10160f; --none: #23271f; --hatch: #3a4036; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; }
p, dl { max-width: 65ch; }
p { margin: .5rem 0; }
.soft, small { color: var(--soft); }
a { color: inherit; }
dl.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; max-width: none; }
dl.figures div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; min-width: 8rem; }
dl.figures dt { color: var(--soft); font-size: .875rem; }
dl.figures dd { margin: 0; font-size: 1.375rem; font-variant-numeric: tabular-nums; }
dl.pairs { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dl.pairs dd { margin: 0; }
.notes { border-left: .25rem solid var(--s3); padding: .25rem 0 .25rem 1rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); margin: .75rem 0; }
.scroll:focus-visible, summary:focus-visible { outline: 3px solid var(--s4); outline-offset: 2px; }
table { border-collapse: separate; border-spacing: 0; font-size: .8125rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .5rem .75rem; color: var(--soft); font-size: .875rem; position: sticky; left: 0; max-width: 90vw; }
th { font-weight: 600; text-align: left; }
td { text-align: right; white-space: nowrap; }
abbr { text-decoration: none; }
.plain table, table.plain { width: 100%; }
table.plain th, table.plain td { padding: .3125rem .75rem; border-top: 1px solid var(--line); white-space: nowrap; }
table.plain thead th + th { text-align: right; }
table.plain i { font-weight: 400; color: var(--soft); }
table.heat th[scope=row], table.heat thead tr:first-child th:first-child { position: sticky; left: 0; background: var(--card);
  min-width: 7.5rem; max-width: 12rem; padding: .25rem .75rem; border-right: 1px solid var(--line); z-index: 1; line-height: 1.25; }
table.heat thead th { text-align: center; padding: .25rem; font-weight: 500; white-space: nowrap; }
table.heat thead th[scope=colgroup] { text-align: left; border-left: 1px solid var(--line); padding-left: .375rem; }
table.heat td { min-width: 1.875rem; height: 1.875rem; padding: 0 .25rem; text-align: center; border: 1px solid var(--card); }
table.heat small { display: block; font-weight: 400; }
.s0 { color: var(--soft); }
.s1 { background: var(--s1); } .s2 { background: var(--s2); } .s3 { background: var(--s3); }
.s4 { background: var(--s4); color: var(--on-dark); } .s5 { background: var(--s5); color: var(--on-dark); }
.none { background: repeating-linear-gradient(135deg, var(--none) 0 4px, var(--hatch) 4px 5px); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; font-size: .875rem; color: var(--soft); }
.legend span.box { display: inline-block; width: 1.5rem; height: 1rem; vertical-align: -.125rem; border: 1px solid var(--line); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
td.none { position: relative; }
details { margin: .75rem 0; }
summary { cursor: pointer; font-weight: 600; padding: .5rem 0; }
@media (max-width: 40rem) { table.heat th[scope=row], table.heat thead tr:first-child th:first-child { min-width: 6.5rem; max-width: 8rem; padding: .25rem .5rem; }
  dl.pairs { grid-template-columns: 1fr; } dl.pairs dd { margin-bottom: .5rem; } dl.figures div { flex: 1 1 40%; min-width: 0; } }
@media print { .scroll { overflow: visible; border: 0; } body { background: #fff; print-color-adjust: exact; } }
`;
