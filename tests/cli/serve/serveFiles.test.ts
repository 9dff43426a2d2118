import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice, startSluice } from "../support.ts"

const token = "t0ken"

const serving = (...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const server = yield* startSluice(["serve", "--port", "0", ...flags], { env: { SLUICE_TOKEN: token } })
    yield* eventually("it says where it listens", () => server.stdout().split("\n").length > 2)
    const url = server.stdout().split("\n").find((line) => line.endsWith("/files")) ?? ""
    const ask = (path: string, init: RequestInit = {}) =>
      Effect.promise(() => fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } }))
    return { ask, server, url }
  })

const textOf = (response: Response) => Effect.promise(() => response.text())

it.effect("serves the files below a folder, and nothing outside", () =>
  Effect.gen(function* () {
    const { directory: folder } = yield* workshop
    const root = join(folder, "root")
    mkdirSync(root)
    writeFileSync(join(folder, "secret"), "secret")
    symlinkSync("../secret", join(root, "link"))
    const { ask, server, url } = yield* serving("--files", root)
    expect((yield* Effect.promise(() => fetch(`${url}/a`))).status).toBe(401)
    expect((yield* ask("/d/a.txt", { method: "PUT", body: "hello" })).status).toBe(201)
    expect(readFileSync(join(root, "d/a.txt"), "utf8")).toBe("hello")
    expect(yield* textOf(yield* ask("/d/a.txt"))).toBe("hello")
    for (const path of ["/link", "/%2e%2e%2fsecret", "/..%2fsecret"]) {
      const response = yield* ask(path)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(yield* textOf(response)).not.toContain('"secret"')
    }
    server.signal("SIGTERM")
    expect(yield* server.status).toBe(0)
  }))

it.effect("serves files for reading only with :ro", () =>
  Effect.gen(function* () {
    const { directory: folder } = yield* workshop
    writeFileSync(join(folder, "a"), "a")
    const { ask } = yield* serving("--files", `${folder}:ro`)
    expect(yield* textOf(yield* ask("/a"))).toBe("a")
    expect((yield* ask("/a", { method: "PUT", body: "b" })).status).toBe(403)
    expect((yield* ask("/a", { method: "DELETE" })).status).toBe(403)
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("a")
  }))

it.effect("protects files that people and programs run later if listed commands run on the files", () =>
  Effect.gen(function* () {
    const { directory: folder } = yield* workshop
    const { ask } = yield* serving("--files", folder, "--allow-command", "git")
    for (const path of ["/.git/config", "/sub/.envrc", "/.VSCODE/tasks.json", "/.bashrc"]) {
      const response = yield* ask(path, { method: "PUT", body: "x" })
      expect([path, response.status]).toEqual([path, 403])
      expect(yield* textOf(response)).toContain("is protected here")
    }
    expect((yield* ask("/a", { method: "PUT", body: "x" })).status).toBe(201)
    const { ask: trusted } = yield* serving("--files", folder)
    expect((yield* trusted("/.envrc", { method: "PUT", body: "x" })).status).toBe(201)
  }))

it.effect("refuses a missing folder", () =>
  Effect.gen(function* () {
    const { status, stderr } = yield* sluice(["serve", "--port", "0", "--files", "/none/of/this"])
    expect([status, stderr]).toEqual([
      125,
      'sluice: --files: "/none/of/this" cannot be opened (ENOENT); name a folder that exists\n',
    ])
  }))
