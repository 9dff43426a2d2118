/** Sets the variables of a new shell: those of its environment, and those that the shell defines itself. */
import type { Shell } from "./Shell.ts"
import { optionNames, shoptNames } from "./shellOptions.ts"
import { hostType, machineType, systemType, versionText } from "./version.ts"

const name = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Turns on the options that a parent exported in `SHELLOPTS` and `BASHOPTS`. */
const inheritOptions = (shell: Shell): void => {
  for (const [key, names] of [["SHELLOPTS", optionNames], ["BASHOPTS", shoptNames]] as const) {
    const value = shell.system.env.get(key)
    if (value === undefined) continue
    for (const option of value.split(":")) if (names.includes(option)) shell.options.add(option)
    shell.variables.need(key).exported = true
  }
}

export const initializeVariables = (shell: Shell): void => {
  const { system, variables } = shell
  const own = (key: string, value: string): void => {
    if (variables.get(key) === undefined) variables.set(key, value)
  }
  for (const [key, value] of system.env) {
    if (!name.test(key) || variables.dynamic.has(key)) continue
    variables.set(key, value)
    variables.need(key).exported = true
  }
  inheritOptions(shell)
  own("PATH", "/usr/local/bin:/usr/bin:/bin")
  variables.set("IFS", " \t\n")
  variables.set("OPTIND", "1")
  own("PS4", "+ ")
  own("OPTERR", "1")
  own("SHELL", "/bin/bash")
  own("HOSTNAME", "localhost")
  own("HOSTTYPE", hostType)
  own("OSTYPE", systemType)
  own("MACHTYPE", machineType)
  own("TERM", "dumb")
  variables.set("BASH_VERSION", versionText)
  const program = system.which(system.args[0]?.replace(/^-/, "") ?? "sh")
  variables.set("BASH", typeof program === "string" ? program : "/bin/sh")
  variables.set("PWD", system.cwd)
  variables.need("PWD").exported = true
  variables.need("OLDPWD").exported = true
  const level = Number(variables.get("SHLVL") ?? 0)
  variables.set("SHLVL", String(Number.isInteger(level) ? level + 1 : 1))
  variables.need("SHLVL").exported = true
}
