import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { scriptCommands } from "../../src/policy/scriptCommands.ts"
import { random } from "../support/random.ts"
import { workshop } from "../support/workshop.ts"

/** How many random scripts are read; those whose commands are known are run. */
const rounds = Number(process.env["SLUICE_SCRIPTS"] ?? 4_000)

const pieces = [
  ..."a;a;b;a;b;rm".split(";"),
  ..." ; ; ; ; ;\n;\t".split(";"),
  ...[
    "'",
    "'",
    '"',
    '"',
    "\\",
    "$",
    "`",
    "#",
    ";",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "|&",
    "(",
    ")",
    "{ ",
    "; }",
    "!",
    "=",
    "~",
    "*",
  ],
  ...[
    "<",
    ">",
    ">&2",
    "2>/dev/null",
    "> /dev/null",
    "&> /dev/null",
    "<<<",
    "<<",
    "$'",
    '$"',
    "\\'",
    "\\\n",
    "{a,b}",
    "{x}>/dev/null",
    "10>/dev/null",
    ">|/dev/null",
    "<>/dev/null",
    ">&-",
    "é",
    "[",
    "]",
  ],
  ...[
    "$(",
    "${",
    "$((",
    "x",
    "y z",
    "'y z'",
    "-",
    "--",
    ":",
    "%",
    "@",
    "^",
    ",",
    "\u00a0",
    "time",
    "if",
    "then",
    "fi",
    "function",
  ],
]

describe("the commands of a script", () => {
  it("are listed with their words, including quotes", () => {
    expect(scriptCommands(`git log --format='%h $1' "a b" c\\ d | wc -l && ls 2>/dev/null`)).toEqual([
      ["git", "log", "--format=%h $1", "a b", "c d"],
      ["wc", "-l"],
      ["ls"],
    ])
    expect(scriptCommands("")).toEqual([])
    expect(scriptCommands("x".repeat(70_000))).toBeUndefined()
  })

  it.live.skipIf(process.platform === "win32")("are all that bash and dash run", () =>
    Effect.gen(function* () {
      const { path, write, exists, read } = yield* workshop
      mkdirSync(path("bin"))
      for (const name of ["a", "b", "rm", "x", "y"]) {
        write(`bin/${name}`, `#!/bin/sh\nprintf '%s\\037' "\${0##*/}" "$@" END >> "$LOG"\n`, 0o755)
      }
      const shells = ["/bin/bash", "/bin/dash"].filter(existsSync)
      const { int, pick } = random(5)
      let known = 0
      for (let round = 0; round < rounds; round++) {
        const script = Array.from({ length: int(1, 9) }, () => pick(pieces)).join("")
        const commands = scriptCommands(script)
        if (commands === undefined || commands.length === 0) continue
        known++
        const told = new Set(commands.map((words) => JSON.stringify(words)))
        for (const shell of shells) {
          // What runs in the background may write late: each run has a log of its own.
          const log = `log-${round}-${shell.slice(5)}`
          write(log, "")
          spawnSync(shell, ["-c", script], {
            env: { PATH: path("bin"), LOG: path(log) },
            cwd: path("."),
            stdio: "ignore",
            timeout: 20_000,
          })
          const ran = read(log).split("\u001fEND\u001f").slice(0, -1).map((line) =>
            JSON.stringify(line.split("\u001f"))
          )
          expect({ script, shell, untold: ran.filter((command) => !told.has(command)) }).toEqual({
            script,
            shell,
            untold: [],
          })
        }
        expect(exists("out")).toBe(false)
      }
      expect(known).toBeGreaterThan(rounds / 50)
    }))
})
