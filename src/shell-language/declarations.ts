/** Names the builtins whose arguments may be assignments. */
export const declarations: ReadonlySet<string> = new Set(["declare", "typeset", "local", "export", "readonly"])
