#pragma once
/// How pages look.
#include <string_view>

namespace civitas::report {

/// Colours differ in lightness too, for those who see few of them.
inline constexpr std::string_view page_style = R"(:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1c2330; --faint: #5b6575; --line: #dde2ea; --ground: #f4f6f9;
    --note: #eaf1fa;
  --accent: #1f5fa8;
  --k0: #2f6db5; --k1: #e08b2d; --k2: #b4bcc8; --k3: #3f9a75; --k4: #8763b8; --k5: #c4506a;
  --few-buildings: #c0c8d4; --few-roads: #858fa0; --edge: #2e343f; --flat: #f7e08a;
  --across: #8a4310;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161d; --ink: #e4e8ef; --faint: #9aa5b5; --line: #2b3340; --ground: #1a2029;
    --note: #182537;
    --accent: #7db4f2;
    --k0: #5b9be3; --k1: #eaa04c; --k2: #667386; --k3: #58b892; --k4: #a98be0; --k5: #e0758d;
    --few-buildings: #3c4759; --few-roads: #76839a; --edge: #dfe4ec; --flat: #fff2a8;
    --across: #a04e12;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1, h2, h3, li { overflow-wrap: anywhere; }
li { font-size: 0.92rem; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 0 0 0.25rem; font-size: 1.15rem; }
h3 { margin: 0.5rem 0 0.1rem; font-size: 1rem; }
section { margin-top: 2.25rem; }
.subtitle, .about, footer { color: var(--faint); }
.subtitle { margin: 0.5rem 0 0; }
.about { margin: 0 0 0.75rem; font-size: 0.92rem; max-width: 52rem; }
footer { margin-top: 2.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line);
  font-size: 0.85rem; }
.callout { padding: 0.9rem 1.1rem; background: var(--note); border-left: 4px solid var(--accent);
  border-radius: 0 6px 6px 0; }
.callout p { margin: 0.4rem 0 0; }
.callout .first { margin: 0; font-size: 1.1rem; font-weight: 600; }
.legend { margin: 0 0 0.5rem; font-size: 0.88rem; color: var(--faint); }
.key { display: inline-block; margin-right: 1.1rem; white-space: nowrap; }
.key i { display: inline-block; width: 0.8rem; height: 0.8rem; margin-right: 0.4rem;
  border-radius: 2px; vertical-align: -0.08rem; }
.key i.range { height: 2px; vertical-align: 0.25rem; background: var(--ink); }
.key i.mark { width: 3px; background: var(--ink); }
.row { display: grid; grid-template-columns: 12rem 1fr 8.5rem; align-items: center;
  column-gap: 0.75rem; padding: 0.12rem 0; border-bottom: 1px solid var(--line); }
.row .label { font-size: 0.92rem; overflow-wrap: anywhere; }
.row .value { font-size: 0.92rem; font-variant-numeric: tabular-nums; text-align: right; }
.row.best .label, .row.best .value { font-weight: 700; color: var(--accent); }
svg.bar { display: block; width: 100%; height: 1.5rem; background: var(--ground);
  border-radius: 3px; }
.k0 { fill: var(--k0); background: var(--k0); } .k1 { fill: var(--k1); background: var(--k1); }
.k2 { fill: var(--k2); background: var(--k2); } .k3 { fill: var(--k3); background: var(--k3); }
.k4 { fill: var(--k4); background: var(--k4); } .k5 { fill: var(--k5); background: var(--k5); }
line.range { stroke: var(--ink); stroke-width: 1.5; }
rect.mark { fill: var(--ink); } line.mark { stroke: var(--ink); stroke-width: 2; }
.chart { display: grid; grid-template-columns: 3.6rem 1fr; column-gap: 0.5rem;
  margin: 0.4rem 0 1rem; padding-right: 1rem; font-size: 0.82rem; color: var(--faint);
  font-variant-numeric: tabular-nums; }
.chart .unit { grid-column: 1 / -1; margin-bottom: 0.5rem; }
.chart .levels { position: relative; }
.chart .levels span { position: absolute; right: 0; transform: translateY(50%);
  white-space: nowrap; }
.chart .steps { grid-column: 2; position: relative; height: 1.4rem; }
.chart .steps span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.chart .along { grid-column: 2; text-align: center; }
svg.lines { display: block; width: 100%; height: 12rem; overflow: visible; }
svg.lines * { vector-effect: non-scaling-stroke; }
.grid { stroke: var(--line); stroke-width: 1; }
.level { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4; }
.band { opacity: 0.18; }
.mean { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
.l0 { stroke: var(--k0); } .l1 { stroke: var(--k1); } .l2 { stroke: var(--k2); }
.l3 { stroke: var(--k3); } .l4 { stroke: var(--k4); } .l5 { stroke: var(--k5); }
.ground .chart { margin-bottom: 0.2rem; }
svg.map { display: block; width: 100%; height: auto; background: var(--ground);
  shape-rendering: crispEdges; }
.between { fill: none; stroke: var(--paper); stroke-width: 1; vector-effect: non-scaling-stroke; }
.f0 { fill: var(--k0); background: var(--k0); } .f1 { fill: var(--k1); background: var(--k1); }
.f2 { fill: var(--few-buildings); background: var(--few-buildings); }
.f3 { fill: var(--few-roads); background: var(--few-roads); }
.f4 { fill: var(--edge); background: var(--edge); }
.f5 { fill: var(--flat); background: var(--flat); }
.f6 { fill: var(--across); background: var(--across); }
.unseen { background: var(--ground); }
.scale { row-gap: 0.2rem; } .scale > * { grid-column: 2; }
.scale i { height: 0.35rem; border: solid var(--ink); border-width: 0 2px 2px; }
.legend.lines .key { display: block; white-space: normal; margin: 0; padding-left: 1.2rem;
  text-indent: -1.2rem; }
.legend.lines i { outline: 1px solid var(--line); }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
  column-gap: 2rem; }
.album img { display: block; width: 100%; height: auto; image-rendering: auto; }
.album.live figure { display: none; } .album.live figure.shown { display: block; }
.album figure { margin: 0 0 0.75rem; } .album figcaption { font-size: 0.9rem; }
.album input { width: 100%; accent-color: var(--accent); }
.album input[hidden] { display: none; }
.picture { overflow-x: auto; } .picture img { min-width: 44rem; max-width: 100%; height: auto; }
details pre { overflow-x: auto; font-size: 0.82rem; background: var(--ground); padding: 0.8rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums;
  min-width: 100%; }
th, td { padding: 0.3rem 0.6rem; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top; white-space: nowrap; }
thead th { color: var(--faint); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 600; }
th:first-child { text-align: left; }
.list td, .list th { text-align: left; }
.list tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
.list td { white-space: normal; overflow-wrap: anywhere; }
.list td:nth-child(n + 3), .list td:last-child { min-width: 14rem; }
@media (max-width: 40rem) {
  main { padding: 1.25rem 0.9rem 2rem; }
  h1 { font-size: 1.4rem; }
  .row { grid-template-columns: 1fr 6.5rem; padding: 0.3rem 0; }
  .row .label { grid-column: 1 / -1; }
}
@media print { main { max-width: none; } svg.bar { print-color-adjust: exact; } }
)";

}  // namespace civitas::report
