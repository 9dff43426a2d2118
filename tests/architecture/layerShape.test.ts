/**
 * `layer` is a value where every option is optional, with `layerWith(options)` beside it, and a function where one is required.
 * The value has no `OptionError`.
 */
import { readFileSync } from "node:fs"
import type * as Layer from "effect/Layer"
import type { OptionError } from "@sluice/shell"
import { expect, it } from "vitest"
import { root } from "./sources.ts"
import type { Subpaths } from "./subpaths.ts"

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
    ...readFileSync(new URL("subpaths.ts", import.meta.url), "utf8").matchAll(
      /typeof import\("@sluice\/shell([^"]*)"\)/g,
    ),
  ]
  expect(checked.map(([, subpath]) => `.${subpath}`).sort()).toEqual(
    Object.keys(exports).filter((subpath) => !/^\.\/(?:cli|spawner)$/.test(subpath)).sort(),
  )
  expect(Object.keys(oneOfSeveral).length).toBeLessThan(7)
  expect(doubtful).toEqual({})
})
