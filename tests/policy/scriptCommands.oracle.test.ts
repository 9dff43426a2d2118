/** Compares the commands that are found in random scripts with those that bash and dash run. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { scriptCommands } from "../../src/policy/scriptCommands.ts"
import { random } from "../support/random.ts"
import { workshop } from "../support/workshop.ts"

/** Number of random scripts; those whose commands are known are run. */
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

it.live.skipIf(process.platform === "win32")(
  "the commands of a script are all that bash and dash run",
  () =>
    Effect.gen(function* () {
      const { path, write, exists, read } = yield* workshop
      mkdirSync(path("bin"))
      for (const name of ["a", "b", "rm", "x", "y"]) {
        write(`bin/${name}`, `#!/bin/sh\nprintf '%s\\037' "\${0##*/}" "$@" END >> "$LOG"\n`, 0o755)
      }
      const { int, pick } = random(5)
      const known = Array.from({ length: rounds }, () => Array.from({ length: int(1, 9) }, () => pick(pieces)).join(""))
        .map((script) => ({ script, told: scriptCommands(script)?.map((words) => JSON.stringify(words)) ?? [] }))
        .filter(({ told }) => told.length > 0)
      expect(known.length).toBeGreaterThan(rounds / 50)
      for (const shell of ["/bin/bash", "/bin/dash"].filter(existsSync)) {
        // What runs in the background may write late: each run has a log of its own.
        const logOf = (round: number) => `log-${round}-${shell.slice(5)}`
        for (const round of known.keys()) write(logOf(round), "")
        const { error, status } = spawnSync(
          "/usr/bin/xargs",
          ["-0", "-n", "2", "-P", "4", "/bin/sh", "-c", 'LOG="$PWD/$1" "$0" -c "$2"; :', shell],
          {
            input: known.map(({ script }, round) => `${logOf(round)}\0${script}\0`).join(""),
            env: { PATH: path("bin") },
            cwd: path("."),
            stdio: ["pipe", "ignore", "ignore"],
            timeout: 100_000,
          },
        )
        expect([error, status]).toEqual([undefined, 0])
        const runs = known.map(({ script, told }, round) => {
          const ran = read(logOf(round)).split("\u001fEND\u001f").slice(0, -1).map((line) =>
            JSON.stringify(line.split("\u001f"))
          )
          return { script, shell, ran, untold: ran.filter((command) => !told.includes(command)) }
        })
        expect(runs.filter(({ untold }) => untold.length > 0)).toEqual([])
        // The others have no program that is there.
        expect(runs.filter(({ ran }) => ran.length > 0).length).toBeGreaterThan(known.length / 10)
      }
      expect(exists("out")).toBe(false)
    }),
)
