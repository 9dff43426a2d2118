/**
 * Compares the walls of isolated commands with those of npm `@anthropic-ai/sandbox-runtime`: runs the attempts of
 * `tests/leaves/isolated/escapes` without walls, behind both engines, and behind `srt`, and prints a table.
 *
 * `npx deno run -A bench/isolation/main.ts`. As root it also runs all of it as the user 65534.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { allAttempts, escapeCases, outputsOf } from "../../tests/leaves/isolated/escapes/cases.ts"
import { type EscapeWorld, makeEscapeWorld, users } from "../../tests/leaves/isolated/escapes/world.ts"

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const fixture = pathOf("../../tests/leaves/isolated/escapes/host.fixture.ts")
const srt = pathOf(
  "../../node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js",
)
const node = pathOf("../../node_modules/node/bin/node")

const behindOurs = async (
  world: EscapeWorld,
  engine: string,
): Promise<string> => {
  const answer = `${world.directory}/answer`
  const text = await world.run([
    process.execPath,
    "run",
    "-A",
    fixture,
    engine,
    answer,
    JSON.stringify(world.env),
  ])
  try {
    return readFileSync(answer, "utf8")
  } catch {
    throw new Error(`${engine}: ${text}`)
  }
}

/** Its rules allow reading everything, so the folder that ours does not name is denied by name. */
const behindSrt = (world: EscapeWorld): Promise<string> => {
  const { IN, OUT } = world.env
  const settings = `${world.directory}/settings.json`
  const filesystem = {
    denyRead: [OUT],
    allowWrite: [IN],
    denyWrite: [`${IN}/app/file`],
  }
  writeFileSync(
    settings,
    JSON.stringify({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem,
    }),
  )
  return world.run(
    [node, srt, "--settings", settings, "-c", allAttempts],
    world.env,
  )
}

const engines = ["open", "bwrap", "unshare", "srt"]
const columns: Array<readonly [name: string, escaped: ReadonlyArray<string>]> = []
for (const user of users) {
  for (const engine of engines) {
    const world = await makeEscapeWorld(user)
    try {
      const text = await (engine === "srt" ? behindSrt(world) : behindOurs(world, engine))
      const outputs = outputsOf(text.replaceAll("\r\n", "\n"))
      if (outputs.length !== escapeCases.length) {
        console.error(`${engine}, ${user}: ${outputs.length} answers\n${text}`)
      }
      columns.push([
        `${engine}, ${user}`,
        escapeCases.map((_, at) => outputs[at]?.includes("ESCAPED") === true ? "escapes" : "holds"),
      ])
    } finally {
      world.close()
    }
  }
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`
console.log(row(["attempt", ...columns.map(([name]) => name)]))
console.log(row(["---", ...columns.map(() => "---")]))
for (const [at, { name, wall }] of escapeCases.entries()) {
  console.log(
    row([`${wall}: ${name}`, ...columns.map(([, cells]) => cells[at] ?? "")]),
  )
}
process.exit()
