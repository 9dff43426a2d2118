/** Runs code on this machine or on a mock shell, for tests. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { LocalShell, type Shell } from "@sluice/shell"
import * as Code from "@sluice/shell/code"

const bin = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url))

/** The three runtimes first, whichever runs the tests. */
export const path = [bin, process.env["PATH"] ?? ""].join(delimiter)

/** Whether a program is there. */
export const has = (program: string): boolean =>
  path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)))

/** A test that is there only where its programs are. */
export const liveWith = (...programs: ReadonlyArray<string>): typeof it.live | typeof noTest =>
  programs.every(has) ? it.live : noTest

const noTest = (_title: string, _test: () => Effect.Effect<unknown, unknown, Scope.Scope>): void => {}

const onPath = (request: Code.CodeInput): Code.CodeInput => ({
  ...request,
  env: { PATH: path, ...request.env },
})

/** Runs code on this machine. */
export const run = (request: Code.CodeInput, options?: Code.CodeOptions) =>
  Effect.provide(Code.run(onPath(request), options), LocalShell.layer)

/** Runs code on this machine, and answers with its flat result. */
export const result = (
  request: Code.CodeInput,
  options?: Code.CodeOptions,
  layer: Layer.Layer<Shell, unknown> = LocalShell.layer,
): Effect.Effect<Code.CodeResult> => Effect.orDie(Effect.provide(Code.result(onPath(request), options), layer))

/** Code of bash, in few words. */
export const bash = (code: string, more: Partial<Code.CodeInput> = {}): Code.CodeInput => ({
  language: "bash",
  code,
  ...more,
})

/** Code of Python, in few words. */
export const python = (code: string, more: Partial<Code.CodeInput> = {}): Code.CodeInput => ({
  language: "python",
  code,
  ...more,
})
