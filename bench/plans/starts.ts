/** Rows of starts: imports, bundles and the command line. The driver measures them. */
import { bundleTitles } from "../bundles.ts"
import { importTitles } from "../imports.ts"
import type { Case, Plan } from "../RowPlan.ts"

const base = { digits: 0, better: "lower", rounds: "many" } as const

const casesOf = (
  titles: Readonly<Record<string, string>>,
): ReadonlyArray<Case> =>
  Object.entries(titles).map(([id, title]) => ({
    id,
    title,
    kind: id.startsWith("sluice") ? "sluice" : id === "empty" || id.startsWith("effect-stream") ? "floor" : "peer",
  }))

/** Rows of starts. */
export const starts: ReadonlyArray<Plan> = [
  {
    ...base,
    id: "import",
    title: "Import",
    about:
      "Milliseconds of process time that the import costs above an empty script. Sources, and what the npm package " +
      "ships.",
    value: "ms",
    unit: "ms",
    by: "imports",
    cases: casesOf(importTitles),
    floor: "effect-stream-schema",
    check: true,
  },
  {
    ...base,
    id: "cli",
    title: "Command line",
    about: "`sluice run -- true` of the npm package, to its end: milliseconds above an empty script.",
    value: "ms",
    unit: "ms",
    by: "cli",
    cases: [
      { id: "empty", title: "empty script (whole process)", kind: "floor" },
      { id: "sluice", title: "Sluice", kind: "sluice" },
    ],
  },
  {
    ...base,
    id: "bundle",
    title: "Bundle of “run one command, stream its lines”",
    about:
      "Loaded at start: minified and gzipped by rolldown, `node:` modules outside, Effect included where it is used. " +
      "In brackets: all in one file.",
    value: "kb",
    unit: "KB",
    digits: 1,
    rounds: "once",
    by: "bundles",
    cases: casesOf(bundleTitles),
  },
]
