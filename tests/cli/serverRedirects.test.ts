/** Tests which files redirections may open in the scripts of a server. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { eventually } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { sluice, startSluice } from "./support.ts"

it.live(
  "lets redirections open files below the roots with --redirects roots, and no files otherwise",
  () =>
    Effect.scoped(Effect.gen(function* () {
      const shop = yield* workshop
      shop.makeDirectory("root")
      const env = { SLUICE_TOKEN: "t", ALLOWED_CWD_ROOTS: shop.path("root") }
      const flags = ["--port", "0", "--allow-command", "cat", "--default-cwd", shop.path("root")]
      const answers = (more: ReadonlyArray<string>, scripts: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const server = yield* startSluice(["serve", ...flags, ...more], { env })
          yield* eventually("it says where it listens", () => server.stdout().endsWith("\n") || server.hasEnded())
          return yield* Effect.promise(async () => {
            const found: Array<string> = []
            for (const command of scripts) {
              const response = await fetch(`${server.stdout().trim()}/exec`, {
                method: "POST",
                headers: { authorization: "Bearer t", "content-type": "application/json", accept: "application/json" },
                body: JSON.stringify({ command, useShell: true }),
              })
              const answer = await response.json()
              found.push(
                typeof answer.stdout === "string" && answer.reason === undefined
                  ? answer.stdout + answer.stderr
                  : JSON.stringify(answer),
              )
            }
            return found
          })
        })
      const scripts = ["cat > notes <<'E'\n$a\nE\ncat < notes", "cat < notes > ../out"]
      expect(yield* answers(["--redirects", "roots"], scripts)).toEqual([
        "$a\n",
        expect.stringContaining("a script may not open ../out: it is not within an allowed root (NOT_ALLOWED)"),
      ])
      expect(readFileSync(shop.path("root/notes"), "utf8")).toBe("$a\n")
      expect((yield* answers([], scripts))[0]).toContain(
        "a script may not open notes: redirections to files are not allowed",
      )
      const wrong = yield* sluice(["serve", "--redirects", "some"], { env })
      expect(wrong.stderr).toContain('--redirects: "some" is not a set of files; write one of none, read, roots, all')
      const idle = yield* sluice(["serve", "--port", "0", "--redirects", "roots"], {
        env: { SLUICE_TOKEN: "t" },
      })
      expect(idle.stderr).toContain("--redirects requires --allow-command or ALLOWED_COMMANDS")
    })),
)
