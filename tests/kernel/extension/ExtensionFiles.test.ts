import { expect, it } from "vitest"
import { type Extension, Sandbox } from "@sluice/shell/sandbox"

type Handler = Extension.Extension

const run = async (mytool: Handler, script: string, options: Sandbox.SandboxOptions = {}) => {
  await using sandbox = await Sandbox.open({ extensions: { mytool }, ...options })
  const { exitCode, stderr, stdout } = await sandbox.run(script, { check: false })
  return { exitCode, stderr, stdout }
}

it("reads, writes and lists files where the command is", async () => {
  const mytool: Handler = async ([path = ""], _, { files }) => {
    const data: { readonly name: string } = JSON.parse(await files.readText(path))
    await files.writeFile("out/deep/name.txt", `${data.name}\n`, { mode: 0o600 })
    await files.writeFile("out/deep/name.txt", "more\n", { append: true })
    await files.makeFolder("a/b/c")
    const names = (await files.list()).map(({ name }) => name)
    const { size } = await files.stat("out/deep/name.txt")
    return `${names} ${size} ${await files.exists("a/b/c")} ${await files.exists("none")}\n`
  }
  const script = "cd work; mytool file.json; cat out/deep/name.txt; stat -c %a out/deep/name.txt; ls a/b"
  expect(await run(mytool, script, { files: { "work/file.json": '{"name":"Ada"}' } })).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: "a,file.json,out 9 true false\nAda\nmore\n600\nc\n",
  })
})

it("has the permissions, the umask and the limits of its command", async () => {
  const read: Handler = async ([path = ""], _, { files }) => await files.readText(path)
  const script = "echo x > f; chmod 0 f; mytool f; mytool none; mytool /tmp"
  expect(await run(read, script)).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "mytool: cannot read f: Permission denied (EACCES)\n" +
      "mytool: cannot read none: No such file or directory (ENOENT)\n" +
      "mytool: cannot read /tmp: Is a directory (EISDIR)\n",
  })
  const write: Handler = async (_, __, { files }) => await files.writeFile("f", "x".repeat(2_000))
  expect(await run(write, "umask 077; mytool; stat -c %a f", { limits: { maxTotalFileBytes: 1_000 } })).toEqual({
    exitCode: 0,
    stdout: "600\n",
    stderr: "mytool: cannot write f: No space left on device (ENOSPC)\n",
  })
  const long: Handler = async (_, __, { files }) => await files.readText("/dev/zero", { maxBytes: 100_000 })
  expect((await run(long, "mytool")).stderr).toBe("mytool: cannot read /dev/zero: File too large (EFBIG)\n")
})

it("removes files, and folders with what is in them", async () => {
  const mytool: Handler = async (_, __, { files }) => {
    await files.remove("f")
    await files.remove("folder", { recursive: true })
    await files.remove("folder")
  }
  expect(await run(mytool, "touch f; mkdir -p folder/in; touch folder/in/x; mytool; ls")).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: "mytool: cannot remove folder: No such file or directory (ENOENT)\n",
  })
})

it("refuses calls after its command has ended, without an unhandled rejection", async () => {
  const late: Array<unknown> = []
  const mytool: Handler = async (_, __, { files, signal }) => {
    const never = files.readText("/dev/stdin")
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
    late.push(await never.catch(({ name }) => name), await files.readText("f").catch(({ name }) => name))
    void files.readText("f")
  }
  await run(mytool, "sleep 60 | timeout 0.05 mytool", { files: { f: "x" }, timeout: "1s" }).catch(() => {})
  await expect.poll(() => late).toEqual(["AbortError", "AbortError"])
})
