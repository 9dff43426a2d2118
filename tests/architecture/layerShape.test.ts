/**
 * `layer` is a value where every option is optional, with `layerWith(options)` beside it, and a function where one is required.
 * The value has no `OptionError`.
 */
import { readFileSync } from "node:fs"
import type * as Layer from "effect/Layer"
import type { OptionError } from "@sluice/shell"
import { expect, it } from "vitest"
import { root } from "./sources.ts"

/** Every subpath that exports layers; `spawner` and `cli` have no namespaces. */
interface Subpaths {
  ".": typeof import("@sluice/shell")
  "./access": typeof import("@sluice/shell/access")
  "./agent": typeof import("@sluice/shell/agent")
  "./audit": typeof import("@sluice/shell/audit")
  "./branch": typeof import("@sluice/shell/branch")
  "./runtimes": typeof import("@sluice/shell/runtimes")
  "./code": typeof import("@sluice/shell/code")
  "./container": typeof import("@sluice/shell/container")
  "./daemon": typeof import("@sluice/shell/daemon")
  "./database": typeof import("@sluice/shell/database")
  "./database/postgres": typeof import("@sluice/shell/database/postgres")
  "./egress": typeof import("@sluice/shell/egress")
  "./fetch": typeof import("@sluice/shell/fetch")
  "./files": typeof import("@sluice/shell/files")
  "./git": typeof import("@sluice/shell/git")
  "./http": typeof import("@sluice/shell/http")
  "./http/console": typeof import("@sluice/shell/http/console")
  "./isolated": typeof import("@sluice/shell/isolated")
  "./journal": typeof import("@sluice/shell/journal")
  "./journal/ndjson": typeof import("@sluice/shell/journal/ndjson")
  "./journal/postgres": typeof import("@sluice/shell/journal/postgres")
  "./journal/sqlite": typeof import("@sluice/shell/journal/sqlite")
  "./kernel": typeof import("@sluice/shell/kernel")
  "./leaf": typeof import("@sluice/shell/leaf")
  "./mcp": typeof import("@sluice/shell/mcp")
  "./mcp/http": typeof import("@sluice/shell/mcp/http")
  "./remote": typeof import("@sluice/shell/remote")
  "./run": typeof import("@sluice/shell/run")
  "./s3": typeof import("@sluice/shell/s3")
  "./sandbox": typeof import("@sluice/shell/sandbox")
  "./secrets": typeof import("@sluice/shell/secrets")
  "./spell": typeof import("@sluice/shell/spell")
  "./ssh": typeof import("@sluice/shell/ssh")
  "./terminal": typeof import("@sluice/shell/terminal")
  "./testing": typeof import("@sluice/shell/testing")
  "./wire": typeof import("@sluice/shell/wire")
}

/** Names like `DaemonShell.layer` whose value is a function that could be called without an option. */
type Misshapen<M> = {
  [N in keyof M]-?: {
    [L in keyof M[N]]-?: L extends "layerWith" | `layer${string}With` | "layerConfig" ? never
      : L extends `layer${string}`
        ? M[N][L] extends (...args: infer A) => unknown
          ? [] extends A ? `${N & string}.${L}` : {} extends A[0] ? `${N & string}.${L}` : never
        : never
      : never
  }[keyof M[N]]
}[keyof M]

/** These need one of several options. TypeScript refuses this table where a name is missing, or is here without need. */
const oneOfSeveral: Record<{ [S in keyof Subpaths]: Misshapen<Subpaths[S]> }[keyof Subpaths], string> = {
  "Container.layer": "image, rootfs or container",
  "ContainerFileSystem.layer": "image, rootfs or container",
  "ContainerShell.layer": "image, rootfs or container",
  "EnvironmentSecrets.layer": "prefix or names",
  "FileSecrets.layer": "folder or file",
  "PostgresJournal.layer": "url or host",
}

/** Names like `KernelShell.layer` whose value is a layer that could fail with an `OptionError`, without an option. */
type Doubtful<M> = {
  [N in keyof M]-?: {
    [L in keyof M[N]]-?: L extends `layer${string}`
      ? M[N][L] extends Layer.Layer<infer _A, infer E, infer _R>
        ? Extract<E, OptionError> extends never ? never : `${N & string}.${L}`
      : never
      : never
  }[keyof M[N]]
}[keyof M]

/** The default options are valid: no layer without options fails with an `OptionError`. TypeScript refuses the table else. */
const doubtful: Record<{ [S in keyof Subpaths]: Doubtful<Subpaths[S]> }[keyof Subpaths], string> = {}

it("checks the layers of every subpath: TypeScript does", () => {
  const { exports } = JSON.parse(readFileSync(new URL("deno.json", root), "utf8"))
  const checked = [
    ...readFileSync(new URL(import.meta.url), "utf8").matchAll(/typeof import\("@sluice\/shell([^"]*)"\)/g),
  ]
  expect(checked.map(([, subpath]) => `.${subpath}`).sort()).toEqual(
    Object.keys(exports).filter((subpath) => !/^\.\/(?:cli|spawner)$/.test(subpath)).sort(),
  )
  expect(Object.keys(oneOfSeveral).length).toBeLessThan(7)
  expect(doubtful).toEqual({})
})
