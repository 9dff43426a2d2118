/** The scripts of every day behind a policy and by a real bash, in equal folders: output, exit status, files left behind. */
import { expect, it } from "@effect/vitest"
import { knownReason } from "./differences.ts"
import { type Difference, runEveryday } from "./everydayRuns.ts"

/** Compares everyday scripts with bash. Known differences and their reasons are in differences.ts. */
const share = 0.97

const described = ({ bash, here, kind, script }: Difference): string =>
  `${kind} of ${JSON.stringify(script)}: ${JSON.stringify(here.slice(0, 300))}, bash: ${
    JSON.stringify(bash.slice(0, 300))
  }`

it("everyday scripts behind a policy that lists their programs have the output of bash", async () => {
  for (
    const { count, differences, strangers } of await runEveryday([{ utilities: "host" }, { utilities: "contained" }])
  ) {
    const differing = new Set(differences.map(({ script }) => script)).size
    console.info(`${count - differing} of ${count} equal\n${differences.map(described).join("\n")}`)
    expect(strangers).toEqual([])
    expect(count).toBeGreaterThanOrEqual(251)
    expect(1 - differing / count).toBeGreaterThanOrEqual(share)
    expect(differences.filter(({ script }) => knownReason(script) === undefined).map(described)).toEqual([])
  }
}, 600_000)
