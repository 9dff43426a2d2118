import { expect, it } from "@effect/vitest"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import * as Effect from "effect/Effect"
import { relative } from "node:path"
import { workshop } from "../../support/workshop.ts"

it.live.skipIf(process.platform === "win32")(
  "a relative directory of a leaf is resolved once, one of a command from there",
  () =>
    Effect.gen(function* () {
      const { makeDirectory } = yield* workshop
      const project = makeDirectory("project")
      makeDirectory("project/project")
      makeDirectory("project/src")
      const pwd = (cwd?: string) => Shell.text(ShellExec.make("pwd", [], { cwd }))
      const found = yield* Effect.all([pwd(), pwd("src"), pwd(project)]).pipe(
        Effect.provide(LocalShell.layerWith({ cwd: relative(process.cwd(), project) })),
      )
      expect(found).toEqual([project, `${project}/src`, project])
    }),
)
