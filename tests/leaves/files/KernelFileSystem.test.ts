import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Files, KernelFileSystem } from "../../../src/leaves/files/mod.ts"
import { Sandbox } from "../../../src/sandbox/mod.ts"
import { filesContract } from "../../support/filesContract.ts"

const inSandbox = (prepare: string, options?: KernelFileSystem.KernelFileSystemOptions) =>
  Layer.unwrap(Effect.gen(function* () {
    const sandbox = yield* Sandbox.make()
    yield* sandbox.run(prepare)
    return Layer.orDie(KernelFileSystem.layer(sandbox, options))
  }))

filesContract("KernelFileSystem", () => inSandbox("mkdir /work", { rootPath: "/work" }))

describe("KernelFileSystem", () => {
  it("reads files written by scripts, and scripts read its files", async () => {
    const program = Effect.gen(function* () {
      const sandbox = yield* Sandbox.make()
      const files = KernelFileSystem.layer(sandbox, { rootPath: "/tmp" })
      yield* sandbox.run("mkdir /tmp/a; echo one > /tmp/a/x")
      expect(yield* Effect.provide(Files.readText("a/x"), files)).toBe("one\n")
      yield* Effect.provide(Files.write("a/x", "two\n", { createMode: "AppendExisting" }), files)
      return (yield* sandbox.run("cat /tmp/a/x")).stdout
    })
    expect(await Effect.runPromise(Effect.scoped(program))).toBe("one\ntwo\n")
  })

  it("keeps links inside its root, and follows those that stay there", async () => {
    const prepare = "mkdir -p /work/in; echo yes > /work/in/f; echo no > /secret; cd /work; ln -s /secret out; " +
      "ln -s ../../secret in/up; ln -s /work/in door; ln -s in/f same; ln -s in/none nowhere"
    const program = Effect.gen(function* () {
      for (const path of ["out", "in/up"]) {
        expect(yield* Effect.flip(Files.readText(path))).toMatchObject({ faultKind: "AccessDenied" })
        expect(yield* Effect.flip(Files.write(path, "x"))).toMatchObject({ faultKind: "AccessDenied" })
      }
      expect(yield* Files.readText("door/f")).toBe("yes\n")
      for (const createMode of ["CreateOrReplace", "CreateOrAppend"] as const) {
        const fault = yield* Effect.flip(Files.write("nowhere", "x", { createMode }))
        expect(fault.message).toContain("it is a dangling link")
      }
      expect(yield* Files.exists("in/none")).toBe(false)
      yield* Files.write("same", "new")
      expect(yield* Files.readText("in/f")).toBe("new")
    })
    await Effect.runPromise(Effect.scoped(Effect.provide(program, inSandbox(prepare, { rootPath: "/work" }))))
  })

  it("names a root that is not a folder", async () => {
    const program = Effect.gen(function* () {
      return yield* Effect.flip(KernelFileSystem.make(yield* Sandbox.make(), { rootPath: "/none" }))
    })
    const { message } = await Effect.runPromise(Effect.scoped(program))
    expect(message).toBe('KernelFileSystem: rootPath "/none" is not a folder of the sandbox')
  })
})
