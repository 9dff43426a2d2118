import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cpSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { key } from "../../agent/support/modelServer.ts"
import { countOfCalls, serveSession, task, turns } from "../../agent/session.ts"
import { NdjsonJournal } from "../../../src/journal/ndjson.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice } from "../support.ts"

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/agent/${name}`, import.meta.url))

/** The recorded session, which `SLUICE_RECORD_AGENT=1` records anew. */
export const recording = fixture("session.ndjson")

/** A copy of the repository with failing tests. */
const repository = Effect.gen(function* () {
  const shop = yield* workshop
  cpSync(fixture("repo"), shop.path("repo"), { recursive: true })
  return { ...shop, repo: shop.path("repo") }
})

const provider = (
  url: string,
): ReadonlyArray<string> => ["--model", "openai-chat/scripted", "--base-url", `${url}/openai`]
const env = { OPENAI_API_KEY: key }

describe("sluice agent", () => {
  it.effect("fixes a failing test, with every file and command in one journal under one id", () =>
    Effect.gen(function* () {
      const { path, repo } = yield* repository
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => serveSession()),
        ({ stop }) => Effect.promise(() => stop()),
      )
      const record = process.env["SLUICE_RECORD_AGENT"] === "1" ? recording : path("run.ndjson")
      const words = ["agent", task, ...provider(server.url), "--cwd", repo, "--approve", "full", "--record", record]
      const { status, stderr, stdout } = yield* sluice([...words, "--prices", "input=1,cached=0.1,output=10"], { env })
      expect([status, stderr]).toEqual([0, expect.stringContaining(`${turns.length} turns, ${countOfCalls} calls`)])
      expect(stdout).toBe(turns.flatMap(({ text }) => text === undefined ? [] : [`${text}\n`]).join(""))
    }))
})
void readFileSync
void NdjsonJournal
