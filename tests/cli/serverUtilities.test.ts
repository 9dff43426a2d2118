/** Tests whose utilities the commands of a server are: Sluice's own below roots, else the machine's. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { eventually } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { sluice, startSluice } from "./support.ts"

it.live(
  "gives utilities only the files below the roots, unless --utilities host gives them the machine's",
  () =>
    Effect.scoped(Effect.gen(function* () {
      const shop = yield* workshop
      shop.write("root/in", "in\n")
      shop.write("secret", "secret\n")
      const answers = (more: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const flags = ["serve", "--port", "0", "--allow-command", "cat", "--default-cwd", shop.path("root"), ...more]
          const server = yield* startSluice(flags, { env: { SLUICE_TOKEN: "t" } })
          yield* eventually("it says where it listens", () => server.stdout().endsWith("\n") || server.hasEnded())
          const told = async (body: object): Promise<string> => {
            const response = await fetch(`${server.stdout().trim()}/exec`, {
              method: "POST",
              headers: { authorization: "Bearer t", "content-type": "application/json", accept: "application/json" },
              body: JSON.stringify(body),
            })
            const { stderr, stdout } = await response.json()
            return stdout + stderr
          }
          return yield* Effect.promise(async () => [
            await told({ command: "cat", arguments: ["in", "../secret"] }),
            await told({ command: "cat in ../secret", useShell: true }),
          ])
        })
      const held = "in\ncat: ../secret: No such file or directory\n"
      const root = ["--allow-cwd-root", shop.path("root")]
      expect(yield* answers(root)).toEqual([held, held])
      expect(yield* answers([...root, "--utilities", "host"])).toEqual(["in\nsecret\n", "in\nsecret\n"])
      expect(yield* answers([])).toEqual(["in\nsecret\n", "in\nsecret\n"])
    })),
)

it.live("refuses another word, and a choice where every command may run", () =>
  Effect.gen(function* () {
    const wrong = yield* sluice(["mcp", "--utilities", "mine"], { env: {} })
    expect(wrong.stderr).toContain('--utilities: "mine" is not a source of utilities; write one of host, contained')
    const idle = yield* sluice(["serve", "--port", "0", "--utilities", "host"], { env: { SLUICE_TOKEN: "t" } })
    expect(idle.stderr).toContain("--utilities requires --allow-command or ALLOWED_COMMANDS")
  }))
