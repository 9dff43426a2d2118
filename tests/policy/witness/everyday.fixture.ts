/** The table of differences by hand: `everyday.fixture.ts [SETTINGS as JSON]`, one line for each, with its reason if it has one. */
import { knownReason } from "./differences.ts"
import { runEveryday } from "./everydayRuns.ts"

const [run] = await runEveryday([JSON.parse(process.argv[2] ?? "{}")])
if (run === undefined) throw new Error("no run")
const { count, differences, strangers } = run
const short = (text: string): string => JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}…` : text)
for (const { bash, here, kind, script } of differences) {
  console.log(`${kind.padEnd(8)}${short(script)}\n    here: ${short(here)}\n    bash: ${short(bash)}`)
  console.log(`    ${knownReason(script) ?? "not known"}`)
}
for (const text of strangers) console.log(`STARTED ${text}`)
const scripts = new Set(differences.map(({ script }) => script)).size
console.log(`${count - scripts} of ${count} equal (${(100 * (1 - scripts / count)).toFixed(1)} %)`)
