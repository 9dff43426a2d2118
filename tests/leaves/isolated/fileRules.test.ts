import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { symlinkSync } from "node:fs"
import { Files, LocalFileSystem } from "@sluice/shell/files"
import { IsolatedShell } from "@sluice/shell/isolated"
import { inTheOpen, isolationWorks } from "../../support/isolation.ts"
import { workshop } from "../../support/workshop.ts"

it.live.runIf(process.platform === "linux")(
  "tools on files change what isolated commands may change, and no more",
  () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path, read, write } = yield* workshop
      makeDirectory("out/inner")
      inTheOpen("git init -q . && git config core.hooksPath tools/hooks", path("out"))
      inTheOpen("git init -q .", path("out/inner"))
      write("out/.git/hooks/old", "original")
      write("out/given", "original")
      symlinkSync(".git/hooks", path("out/link"))
      const rules = yield* IsolatedShell.fileRules({
        writable: [path("out")],
        readable: [path("out/given")],
        protected: [".vscode"],
      })
      const files = yield* LocalFileSystem.make({ rootPath: directory, ...rules })
      const run = <A, E>(effect: Effect.Effect<A, E, Files>) => Effect.provideService(effect, Files, files)
      const refused = (effect: Effect.Effect<unknown, { readonly faultKind?: string }, Files>) =>
        run(Effect.match(effect, { onFailure: ({ faultKind }) => faultKind, onSuccess: () => "changed" }))
      const closed = [
        ...[
          "out/.git/hooks/new",
          "out/.git/hooks/old",
          "out/.git/config",
          "out/link/new",
          "out/tools/hooks/pre-commit",
        ],
        ...["out/inner/.git/config", "out/.env", "out/.vscode/tasks.json", "out/given", "outside"],
      ]
      for (const name of closed) {
        expect([name, yield* refused(Files.write(name, "owned"))]).toEqual([name, "AccessDenied"])
        expect([name, yield* refused(Files.write(name, "owned", { createMode: "CreateOrAppend" }))]).toEqual([
          name,
          "AccessDenied",
        ])
      }
      expect(yield* refused(Files.delete("out/.git/hooks/old"))).toBe("AccessDenied")
      expect(yield* refused(Files.delete("out/.git", { recursive: true }))).toBe("AccessDenied")
      expect(yield* run(Files.readText("out/given"))).toBe("original")
      expect(read("out/.git/hooks/old")).toBe("original")
      for (const name of ["out/src/main.ts", "out/.git/notes", "out/inner/a"]) {
        yield* run(Files.write(name, "fine"))
        expect(read(name)).toBe("fine")
      }
      expect(inTheOpen("grep -rl owned .", directory).text).toBe("")
    }),
)

it.live.runIf(process.platform === "linux")(
  "a protected link is neither followed nor replaced, whatever path names it",
  () =>
    Effect.gen(function* () {
      const { makeDirectory, path, read, write } = yield* workshop
      makeDirectory("root")
      write("root/settings/real", "original")
      symlinkSync("settings/real", path("root/link"))
      symlinkSync("root", path("alias"))
      const files = yield* LocalFileSystem.make({ rootPath: path("alias"), protected: [path("alias/link")] })
      const attempt = (effect: Effect.Effect<unknown, { readonly faultKind?: string }, Files>) =>
        Effect.provideService(
          Effect.match(effect, { onFailure: ({ faultKind }) => faultKind, onSuccess: () => "changed" }),
          Files,
          files,
        )
      expect(yield* attempt(Files.write("link", "owned"))).toBe("AccessDenied")
      expect(yield* attempt(Files.delete("link"))).toBe("AccessDenied")
      expect(yield* attempt(Files.write("settings/real", "owned"))).toBe("AccessDenied")
      expect(read("root/link")).toBe("original")
      expect(yield* attempt(Files.write("settings/other", "fine"))).toBe("changed")
    }),
)

it.live.runIf(isolationWorks)(
  "tools on files make no repository of a folder, also while a leaf is open on it",
  () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const options = { writable: [directory] }
      yield* Effect.scoped(Effect.gen(function* () {
        yield* IsolatedShell.make(options)
        const rules = yield* IsolatedShell.fileRules(options)
        const files = yield* LocalFileSystem.make({ rootPath: directory, ...rules })
        const attempt = (effect: Effect.Effect<unknown, { readonly faultKind?: string }, Files>) =>
          Effect.provideService(
            Effect.match(effect, { onFailure: ({ faultKind }) => faultKind, onSuccess: () => "changed" }),
            Files,
            files,
          )
        expect(yield* attempt(Files.delete("refs"))).toBe("AccessDenied")
        expect(yield* attempt(Files.write("refs/heads/main", ""))).not.toBe("changed")
        expect(yield* attempt(Files.write(".git/HEAD", "ref: refs/heads/main"))).toBe("AccessDenied")
        expect(yield* attempt(Files.write("src/main.ts", "fine"))).toBe("changed")
      }))
      expect(inTheOpen("ls -A", directory).text).toBe("src\n")
      expect((yield* IsolatedShell.fileRules(options)).protected).toContain(path(".git"))
    }),
)
