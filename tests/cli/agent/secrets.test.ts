import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { key, serveModels } from "../../agent/support/modelServer.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice } from "../support.ts"

const posix = it.effect.skipIf(process.platform === "win32")

const token = `ghp_${"a1B2".repeat(9)}`
const own = "correct-horse-battery"

/** A model that reads a `.env`, copies it, prints it, and says what it has read. */
const serving = Effect.acquireRelease(
  Effect.promise(() =>
    serveModels(({ body }) => {
      const text = JSON.stringify(body)
      if (text.includes("quote the key")) return { failure: { status: 401, message: `no: ${key} ${btoa(key)}` } }
      if (/"role":"tool"|tool_result/.test(text)) return { answer: { text: `It has ${key}, ${token} and ${own}.` } }
      const copy = { path: "copy", content: `${key}\n${token}\n${own}\n` }
      return {
        answer: {
          text: "I look.",
          calls: [
            { id: "a", name: "read_file", arguments: JSON.stringify({ path: ".env" }) },
            { id: "b", name: "write_file", arguments: JSON.stringify(copy) },
            { id: "c", name: "run_script", arguments: JSON.stringify({ script: "cat .env; base64 .env" }) },
          ],
        },
      }
    })
  ),
  ({ stop }) => Effect.promise(() => stop()),
)

describe("the secrets of sluice agent", () => {
  posix("are in no journal, though the model and the files have them", () =>
    Effect.gen(function* () {
      for (const kind of ["ndjson", "db"]) {
        const shop = yield* workshop
        const { requests, url } = yield* serving
        shop.write(".env", `OPENAI_API_KEY=${key}\nTOKEN=${token}\nOWN=${own}\n`)
        const record = shop.path(`run.${kind}`)
        const model = ["--model", "openai-chat/m", "--base-url", `${url}/openai`, "--cwd", shop.directory]
        const words = ["agent", `use ${key}`, ...model, "--approve", "full", "--record", record, "--secret-env", "OWN"]
        const env = { OPENAI_API_KEY: key, OWN: own }
        const { status, stdout } = yield* sluice(words, { env })
        expect([status, stdout]).toEqual([0, `I look.\nIt has ${key}, ${token} and ${own}.\n`])
        expect(shop.read("copy")).toBe(`${key}\n${token}\n${own}\n`)
        expect(JSON.stringify(requests[1]?.body)).toContain(token)
        const shown = yield* sluice(["journal", "show", "--journal", record], { env })
        const replayed = yield* sluice(["agent", "--replay", record, "--json"], { env: {} })
        expect(replayed).toMatchObject({ status: 0, stdout: expect.stringContaining("It has <redacted") })
        const texts = [readFileSync(record, "latin1"), shown.stdout, shown.stderr, replayed.stdout]
        // What a file was is in base64: three places in which a text may begin.
        const forms = [key, token, own].flatMap((secret) =>
          ["", "x", "xx"].map((before) => btoa(before + secret).slice(4, -4)).concat(secret)
        )
        for (const text of texts) for (const form of forms) expect(text).not.toContain(form)
      }
    }))

  posix("are in no error message", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const { url } = yield* serving
      for (const [provider, path] of [["openai-chat", "openai"], ["anthropic", "anthropic"]] as const) {
        const words = ["agent", "quote the key", "--model", `${provider}/m`, "--base-url", `${url}/${path}`]
        const record = ["--record", shop.path(`${path}.ndjson`), "--cwd", shop.directory]
        const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key }
        const { status, stderr, stdout } = yield* sluice([...words, ...record], { env })
        // Warnings of a provider are for people.
        expect([status, stdout]).toEqual([125, ""])
        expect(stderr).toContain("no: <redacted")
        expect(stderr + shop.read(`${path}.ndjson`)).not.toMatch(new RegExp(`${key}|${btoa(key).slice(0, -4)}`))
      }
    }))
})
