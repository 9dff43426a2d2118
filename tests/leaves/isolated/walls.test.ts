import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { Shell, ShellExec } from "@sluice/shell"
import { IsolatedShell } from "@sluice/shell/isolated"
import { behindWalls, engines, isolationWorks } from "../../support/isolation.ts"
import { workshop } from "../../support/workshop.ts"

describe.runIf(isolationWorks).each(engines)("the isolation of %s", (engine) => {
  it.live("that cannot be set up is a fault, and the next command may succeed", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const [kept, gone] = [path("kept"), path("gone")]
      mkdirSync(kept)
      mkdirSync(gone)
      yield* Effect.gen(function* () {
        const command = ShellExec.make("true", [], { cwd: kept })
        rmSync(gone, { recursive: true })
        const fault = yield* Effect.flip(Shell.run(command))
        expect(fault.reason).toEqual({ _tag: "Unknown", code: "EISOLATION" })
        expect(fault.message).toContain("the isolation of ")
        expect(fault.stderr).toContain(gone)
        mkdirSync(gone)
        expect((yield* Shell.run(command)).exitCode).toBe(0)
      }).pipe(Effect.provide(IsolatedShell.layerWith({ engine, writable: [kept], readable: [gone] })))
    }))

  const kinds = ["writable", "readable", "hidden"] as const

  it.live.each(kinds)(
    "of a %s folder in a writable one is not redirected by the folders between",
    (kind) =>
      Effect.gen(function* () {
        const { path } = yield* workshop
        const [folder, outside] = [path("folder"), path("outside")]
        const inner = `${folder}/between/inner`
        mkdirSync(inner, { recursive: true })
        mkdirSync(outside)
        writeFileSync(`${inner}/kept`, "kept")
        writeFileSync(`${outside}/secret`, "outside")
        const options = kind === "writable" ? { writable: [folder, inner] } : { writable: [folder], [kind]: [inner] }
        yield* behindWalls({ engine, ...options }, (run) =>
          Effect.gen(function* () {
            // The link leads to the folder above the writable one, which is there inside as well.
            const { stderr } = yield* run(
              `cd ${folder}; mv between moved && mkdir between && ln -s ../.. between/inner`,
            )
            expect(stderr).toContain("between")
            const { stdout } = yield* run(
              `cd ${folder}; echo own > own; cat own moved/inner/kept ${outside}/secret; echo x > ${outside}/planted`,
            )
            expect(stdout).toBe("own\n")
            expect(existsSync(`${outside}/planted`)).toBe(false)
          }))
      }),
  )

  it.live("is not set up around a folder that another program has replaced with a link", () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const [folder, outside] = [path("folder"), path("outside")]
      mkdirSync(folder)
      mkdirSync(outside)
      yield* Effect.gen(function* () {
        renameSync(folder, path("moved"))
        symlinkSync(outside, folder)
        const fault = yield* Effect.flip(Shell.run(ShellExec.make("touch", [`${outside}/planted`], { cwd: "/" })))
        expect(fault.reason).toEqual({ _tag: "Unknown", code: "EISOLATION" })
        expect(fault.message).toContain(`"${folder}" was removed or replaced`)
        rmSync(folder)
        renameSync(path("moved"), folder)
        expect((yield* Shell.run(ShellExec.make("true", [], { cwd: folder }))).exitCode).toBe(0)
      }).pipe(Effect.provide(IsolatedShell.layerWith({ engine, writable: [folder] })))
    }))
})
