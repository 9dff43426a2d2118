import { it } from "@effect/vitest"
import { expectTrees } from "../render.ts"

it("parses compound commands and functions", () => {
  expectTrees({
    "(a; b)": "[Subshell{body:[cmd(a); cmd(b)]}]",
    "( (a) )": "[Subshell{body:[Subshell{body:[cmd(a)]}]}]",
    "((a);(b))": "[Subshell{body:[Subshell{body:[cmd(a)]}; Subshell{body:[cmd(b)]}]}]",
    "{ a; }": "[Group{body:[cmd(a)]}]",
    "{ (a) }": "[Group{body:[Subshell{body:[cmd(a)]}]}]",
    "{(a)}": "[Group{body:[Subshell{body:[cmd(a)]}]}]",
    "{ a; } >f 2>&1 | b": "[Group{body:[cmd(a)] redirects:[>f 2>&1]} | cmd(b)]",
    "if a; then b; fi": "[If{branches:[IfBranch{condition:[cmd(a)] body:[cmd(b)]}]}]",
    "if a\nthen b\nelif c; then d\nelse e\nfi <f":
      "[If{branches:[IfBranch{condition:[cmd(a)] body:[cmd(b)]} IfBranch{condition:[cmd(c)] body:[cmd(d)]}] otherwise:[cmd(e)] redirects:[<f]}]",
    "while a; b; do c; done": "[While{condition:[cmd(a); cmd(b)] body:[cmd(c)]}]",
    "until a; do b; done": "[While{until:true condition:[cmd(a)] body:[cmd(b)]}]",
    "while if a; then b; fi do c; done":
      "[While{condition:[If{branches:[IfBranch{condition:[cmd(a)] body:[cmd(b)]}]}] body:[cmd(c)]}]",
    "for i in a $b *.c; do d; done": "[For{name:i words:[a $b *.c] body:[cmd(d)]}]",
    "for i; do a; done": "[For{name:i body:[cmd(a)]}]",
    "for i\ndo a; done": "[For{name:i body:[cmd(a)]}]",
    "for i in; do a; done": "[For{name:i body:[cmd(a)]}]",
    "for i\nin a\ndo b; done": "[For{name:i words:[a] body:[cmd(b)]}]",
    "for i in a; { b; }": "[For{name:i words:[a] body:[cmd(b)]}]",
    "for i in do done; do a; done": "[For{name:i words:[do done] body:[cmd(a)]}]",
    "for ((i = 0; i < 3; i++)); do a; done":
      "[ForArithmetic{first:(i = 0) condition:(i < 3) after:(i++) body:[cmd(a)]}]",
    "for ((;;)) { a; }": "[ForArithmetic{body:[cmd(a)]}]",
    "select i in a b; do c; done": "[Select{name:i words:[a b] body:[cmd(c)]}]",
    "case a in esac": "[Case{word:a}]",
    'case $a in b) c;; (d | "e"*) ;; *) f; esac':
      '[Case{word:$a clauses:[CaseClause{patterns:[b] body:[cmd(c)] terminator:;;} CaseClause{patterns:[d "e"·*] body:[] terminator:;;} CaseClause{patterns:[*] body:[cmd(f)] terminator:;;}]}]',
    "case a in b) c;& d) e;;& f) esac":
      "[Case{word:a clauses:[CaseClause{patterns:[b] body:[cmd(c)] terminator:;&} CaseClause{patterns:[d] body:[cmd(e)] terminator:;;&} CaseClause{patterns:[f] body:[] terminator:;;}]}]",
    "case a\nin\n# x\nb)\nc\n;;\nesac": "[Case{word:a clauses:[CaseClause{patterns:[b] body:[cmd(c)] terminator:;;}]}]",
    "case a in (esac) b;; esac": "[Case{word:a clauses:[CaseClause{patterns:[esac] body:[cmd(b)] terminator:;;}]}]",
    "f() { a; }": "[FunctionDefinition{name:f body:Group{body:[cmd(a)]}}]",
    "f ( )\n( a ) >g": "[FunctionDefinition{name:f body:Subshell{body:[cmd(a)] redirects:[>g]}}]",
    "function f { a; }": "[FunctionDefinition{name:f body:Group{body:[cmd(a)]}}]",
    "function f() if a; then b; fi":
      "[FunctionDefinition{name:f body:If{branches:[IfBranch{condition:[cmd(a)] body:[cmd(b)]}]}}]",
    "function f-1.x:y (a)": "[FunctionDefinition{name:f-1.x:y body:Subshell{body:[cmd(a)]}}]",
    "f() [[ a ]]": "[FunctionDefinition{name:f body:Conditional{expression:ConditionWord{word:a}}}]",
    "f() ((1))": "[FunctionDefinition{name:f body:ArithmeticCommand{text:1}}]",
    "((a + 1)) && b": "[ArithmeticCommand{text:(a + 1)} && cmd(b)]",
    "((a < b > c ; d))": "[ArithmeticCommand{text:?a < b > c ; d?}]",
    "((echo 1); echo 2)": "[Subshell{body:[Subshell{body:[cmd(echo 1)]}; cmd(echo 2)]}]",
    "{ a }; }": "[Group{body:[cmd(a })]}]",
  })
})
