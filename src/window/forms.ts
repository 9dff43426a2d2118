/** Lists the forms of window policies for help texts; it imports nothing, so that a help loads no policies. */

/** A policy's argument as its form shows it; `undefined` where it takes none. */
export const policyArguments = {
  final: undefined,
  lines: "N",
  silence: "MS",
  paragraph: undefined,
  bytes: "N",
} as const

export const policyForms: string = Object.entries(policyArguments)
  .map(([name, argument]) => argument === undefined ? name : `${name}:${argument}`)
  .join(", ")
