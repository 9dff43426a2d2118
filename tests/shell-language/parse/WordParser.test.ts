import { it } from "@effect/vitest"
import { expectTrees } from "../render.ts"

it("parses the parts of words and their quotes", () => {
  expectTrees({
    "a'b'\"c\"\\d": "[cmd(a·'b'·\"c\"·\\d)]",
    "''": "[cmd('')]",
    '""': '[cmd("")]',
    "'a\\b\n'": "[cmd('a\\\\b\\n')]",
    '"a\\b \\$ \\` \\" \\\\ \'"': '[cmd("a\\\\b ·\\$· ·\\`· ·\\"· ·\\\\· \'")]',
    '"a\\\nb"': '[cmd("ab")]',
    "a\\\nb": "[cmd(ab)]",
    "$'\\n\\t\\x41\\101\\u00e9\\U1f600\\'\\\\\\cA\\e\\q'": "[cmd($'\\n\\tAAé😀'\\\\\\u0001\\u001b\\\\q')]",
    "$'\\xc3\\xa9\\xff\\0x'": "[cmd($'é\\udcff')]",
    '$"a $b"': '[cmd($"a ·$b")]',
    "$a$b": "[cmd($a·$b)]",
    "$ab-c": "[cmd($ab·-c)]",
    "$1a": "[cmd($1·a)]",
    "$@ $* $# $? $- $$ $!": "[cmd($@ $* $# $? $- $$ $!)]",
    "$": "[cmd($)]",
    "a$": "[cmd(a$)]",
    '"$"': '[cmd("$")]',
    "$%": "[cmd($%)]",
    "$(a)": "[cmd(CommandSubstitution{script:[cmd(a)]})]",
    "$(a; b\n)": "[cmd(CommandSubstitution{script:[cmd(a); cmd(b)]})]",
    "$( )": "[cmd(CommandSubstitution{script:[]})]",
    "$(<f)": "[cmd(CommandSubstitution{script:[cmd(<f)]})]",
    '"$(a "b")"': '[cmd("CommandSubstitution{script:[cmd(a "b")]}")]',
    "`a`": "[cmd(CommandSubstitution{backquoted:true script:[cmd(a)]})]",
    "`a \\`b\\``":
      "[cmd(CommandSubstitution{backquoted:true script:[cmd(a CommandSubstitution{backquoted:true script:[cmd(b)]})]})]",
    '"`a \\"b\\"`"': '[cmd("CommandSubstitution{backquoted:true script:[cmd(a "b")]}")]',
    "`a \\$b`": "[cmd(CommandSubstitution{backquoted:true script:[cmd(a $b)]})]",
    "$(case a in b) c;; esac)":
      "[cmd(CommandSubstitution{script:[Case{word:a clauses:[CaseClause{patterns:[b] body:[cmd(c)] terminator:;;}]}]})]",
    "$(a # )\n)": "[cmd(CommandSubstitution{script:[cmd(a)]})]",
    "$((1))": "[cmd(ArithmeticExpansion{text:1})]",
    "$((echo a); b)": "[cmd(CommandSubstitution{script:[Subshell{body:[cmd(echo a)]}; cmd(b)]})]",
    "$( (a) )": "[cmd(CommandSubstitution{script:[Subshell{body:[cmd(a)]}]})]",
    "$[1 + 2]": "[cmd(ArithmeticExpansion{text:(1 + 2)})]",
    "<(a) >(b)":
      "[cmd(ProcessSubstitution{direction:< script:[cmd(a)]} ProcessSubstitution{direction:> script:[cmd(b)]})]",
    "a<(b)": "[cmd(a·ProcessSubstitution{direction:< script:[cmd(b)]})]",
    "~ ~/a ~b/c ~+ ~- a~": "[cmd(Tilde{user:} Tilde{user:}·/a Tilde{user:b}·/c Tilde{user:+} Tilde{user:-} a~)]",
    "~\"a\" ~$b \\~ '~'": "[cmd(~·\"a\" ~·$b \\~ '~')]",
    "*.[ch]? [!a]": "[cmd(*.[ch]? [!a])]",
    "{a,b}$c": "[cmd({a,b}·$c)]",
    "\\😀": "[cmd(\\😀)]",
    "é\ud800": "[cmd(é\\ud800)]",
    "$\\\n(a)": "[cmd(CommandSubstitution{script:[cmd(a)]})]",
    "$fo\\\no": "[cmd($foo)]",
  })
})
