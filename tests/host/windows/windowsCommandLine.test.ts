import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { lookupIn } from "../../../src/host/environment.ts"
import {
  cmdCall,
  cmdPath,
  cmdScript,
  powershellFile,
  powershellScript,
  windowsCommandLine,
} from "../../../src/host/windows/windowsCommandLine.ts"
import { nasty } from "../../leaves/local/nasty.ts"
import { argvOf, assertNoSyntax, batchArguments, cmdRuns, expandPercent } from "./windowsParsers.ts"

/** Variables whose values would do harm if they were expanded. */
const environment = { PATH: 'expanded"&calc.exe', CMDCMDLINE: 'cmd "', a: '"' }

const cmd = "C:\\Windows\\System32\\cmd.exe"
const batch = "C:\\tools\\run me.cmd"

const call = (path: string, args: ReadonlyArray<string>) => Result.getOrThrow(cmdCall(cmd, path, args))

/** Reads back, as a batch file whose last line is `program %*` and a program of the C runtime do. */
const readBack = (path: string, args: ReadonlyArray<string>): Array<string> => {
  const { name, tail } = cmdRuns(call(path, args).args, environment)
  // `%*` is put in place as it is, and the line is read once more.
  assertNoSyntax(tail)
  expect(batchArguments(tail)).toHaveLength(args.length)
  return [name, ...argvOf(`program ${tail}`, "crt").slice(1)]
}

it("carries every nasty argument through cmd.exe and a batch file to a program, alone and in company", () => {
  for (const argument of nasty) expect(readBack(batch, [argument])).toEqual([batch, argument])
  expect(readBack(batch, nasty)).toEqual([batch, ...nasty])
  expect(readBack(batch, [...nasty].reverse())).toEqual([batch, ...[...nasty].reverse()])
})

const Evil = Schema.Array(
  Schema.Array(
    Schema.Literals(['"', "\\", "%", "^", "&", "|", "<", ">", "!", " ", "\t", "a", ",", ";", "=", "(", "P"]),
  ),
)

it.prop("carries any arguments of characters that are special to cmd.exe", { args: Evil }, ({ args }) => {
  const words = args.map((chars) => chars.join(""))
  expect(readBack(batch, words)).toEqual([batch, ...words])
})

it.prop("builds a line that a program reads back exactly, by both sets of rules", { args: Evil }, ({ args }) => {
  const words = args.map((chars) => chars.join(""))
  const line = Result.getOrThrow(windowsCommandLine("C:\\my programs\\x.exe", words))
  expect(argvOf(line, "crt")).toEqual(["C:\\my programs\\x.exe", ...words])
  expect(argvOf(line, "shell")).toEqual(["C:\\my programs\\x.exe", ...words])
})

it.prop(
  "builds a line that a program reads back exactly, of any text",
  { args: Schema.Array(Schema.String) },
  ({ args }) => {
    const words = args.map((word) => word.replaceAll("\0", ""))
    expect(argvOf(Result.getOrThrow(windowsCommandLine("x", words)), "crt")).toEqual(["x", ...words])
  },
)

it("quotes as Microsoft's documentation says", () => {
  expect(Result.getOrThrow(windowsCommandLine("x", ["a\\\\\\b", "de fg", "h"]))).toBe('x a\\\\\\b "de fg" h')
  expect(Result.getOrThrow(windowsCommandLine("x", ['a\\\\\\"b c']))).toBe('x "a\\\\\\\\\\\\\\"b c"')
  expect(Result.getOrThrow(windowsCommandLine("C:\\a b\\x", nasty)).startsWith('"C:\\a b\\x" "" plain')).toBe(true)
})

it("reads the examples of the parsers' own documentation", () => {
  expect(argvOf('x "abc" d e', "crt")).toEqual(["x", "abc", "d", "e"])
  expect(argvOf('x a\\\\\\"b c d', "crt")).toEqual(["x", 'a\\"b', "c", "d"])
  expect(argvOf('x a\\\\\\\\"b c" d e', "crt")).toEqual(["x", "a\\\\b c", "d", "e"])
  expect(argvOf('x a"b"" c d', "crt")).toEqual(["x", 'ab" c d'])
  expect(argvOf('x a"b"" c d', "shell")).toEqual(["x", 'ab"', "c", "d"])
  expect(expandPercent("%a% %b% %%a%% 100% %a:~,% %a:~1,2% %A:~-1%", { a: "value" })).toBe(
    "value %b% %value% 100%  al e",
  )
})

it("writes a call of a batch file as one line in quotes", () => {
  expect(call("C:\\tool.cmd", ["a", "b c", 'say "hi"', "C:\\x\\", "50%"])).toEqual({
    program: cmd,
    args: [
      "/e:on",
      "/v:off",
      "/d",
      "/s",
      "/c",
      '""C:\\tool.cmd" a "b c" "say ""hi""" "C:\\x\\\\" "50%%cd:~,%""',
    ],
    verbatim: true,
  })
})

it("accepts any name of a batch file unchanged", () => {
  for (const path of ["C:\\100%\\%PATH%\\a & b (1)^.cmd", "C:\\it's\\x.bat", "\\\\server\\share\\x y.cmd"]) {
    expect(readBack(path, ["x"])).toEqual([path, "x"])
  }
})

it("joins the streams in cmd.exe, outside every argument", () => {
  const { args } = Result.getOrThrow(cmdCall(cmd, "C:\\x.exe", ["2>&1", "a"], { mergeStreams: true }))
  expect(args.at(-1)).toBe('""C:\\x.exe" "2>&1" a 2>&1"')
})

it("refuses text that cmd.exe would drop: line breaks, NULs, a line that is too long", () => {
  for (const argument of ["a\nb", "a\rb", "a\0b", "\n"]) {
    const refused = cmdCall(cmd, batch, ["ok", argument])
    expect(Result.isFailure(refused) && refused.failure).toMatchObject({
      field: "arguments",
      problem: expect.stringContaining("(argument 2)"),
    })
  }
  for (const path of ['a"b.cmd', "a\nb.cmd", "a\0.cmd", "C:\\dir\\"]) {
    const refused = cmdCall(cmd, path, [])
    expect(Result.isFailure(refused) && refused.failure.field).toBe("command")
  }
  expect(Result.isSuccess(cmdCall(cmd, "x.cmd", ["y".repeat(8100)]))).toBe(true)
  expect(Result.isFailure(cmdCall(cmd, "x.cmd", ["y".repeat(8190)]))).toBe(true)
  expect(Result.isFailure(windowsCommandLine("x", ["a\0"]))).toBe(true)
  expect(Result.isFailure(windowsCommandLine('x"', []))).toBe(true)
  expect(Result.isFailure(windowsCommandLine("x", ["y".repeat(32_766)]))).toBe(true)
})

it("passes a script to cmd.exe unchanged", () => {
  expect(Result.getOrThrow(cmdScript(cmd, 'echo %USERNAME% && dir | findstr "foo"'))).toEqual({
    program: cmd,
    args: ["/d", "/s", "/c", '"echo %USERNAME% && dir | findstr "foo""'],
    verbatim: true,
  })
  for (const script of ["a\nb", "a\r\nb", "a\0b"]) {
    const refused = cmdScript(cmd, script)
    expect(Result.isFailure(refused) && refused.failure.field).toBe("command")
  }
})

it("hands a script to PowerShell as one argument, line breaks and quotes included", () => {
  const script = "Write-Host \"a b\"\n'c' | % { $_ }\\"
  const { args, program, verbatim } = Result.getOrThrow(powershellScript("pwsh.exe", script))
  expect([program, ...args]).toEqual(["pwsh.exe", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script])
  expect(verbatim).toBe(false)
  expect(argvOf(Result.getOrThrow(windowsCommandLine(program, args)), "crt").at(-1)).toBe(script)
  for (const bad of ["-", " - ", "a\0b", "x".repeat(40_000)]) {
    expect(Result.isFailure(powershellScript("pwsh.exe", bad))).toBe(true)
  }
})

it("runs a PowerShell file with its arguments unread", () => {
  const { args } = Result.getOrThrow(powershellFile("pwsh.exe", "C:\\a b\\x.ps1", nasty))
  expect(args.slice(3)).toEqual(["-File", "C:\\a b\\x.ps1", ...nasty])
})

it("takes cmd.exe from the system's own directory", () => {
  expect(cmdPath(lookupIn("windows", { SYSTEMROOT: "D:\\Win", ComSpec: "C:\\evil.exe" }))).toBe(
    "D:\\Win\\System32\\cmd.exe",
  )
  expect(cmdPath(() => undefined)).toBe("C:\\Windows\\System32\\cmd.exe")
})

it("joins the streams of a script in a block, and refuses scripts that would leave the block", () => {
  const merged = (script: string) => cmdScript(cmd, script, { mergeStreams: true })
  for (const script of ["dir & echo a", 'echo ")" "(" & (echo a)', "echo ^) ^( ^^", "echo remark", 'a "b ^" c']) {
    expect(Result.getOrThrow(merged(script)).args.at(-1)).toBe(`"(${script}) 2>&1"`)
  }
  const broken = [
    "echo )",
    "echo (",
    ") & (",
    "rem x",
    "echo a & rem b",
    "@rem",
    "echo a&:: b",
    'echo "a',
    "echo a^",
    'a ^" "',
  ]
  for (const script of broken) expect([script, Result.isFailure(merged(script))]).toEqual([script, true])
})
