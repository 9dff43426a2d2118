import { it } from "@effect/vitest"
import { expectTrees } from "../render.ts"

it("parses redirections and here-documents", () => {
  expectTrees({
    "a <b >c >>d >|e <>f": "[cmd(a <b >c >>d >|e <>f)]",
    "a 2>&1 <&- >&$b 3>&4- 12<c": "[cmd(a 2>&1 <&- >&$b 3>&4- 12<c)]",
    "a &>b &>>c": "[cmd(a &>b &>>c)]",
    'a <<<b"c"': '[cmd(a <<<b·"c")]',
    "{fd}>a {b[1]}<c d": "[cmd(d {fd}>a {b[1]}<c)]",
    "a{b}>c": "[cmd(a{b} >c)]",
    "2 >a": "[cmd(2 >a)]",
    "a b2>c": "[cmd(a b2 >c)]",
    "<a b >c d": "[cmd(b d <a >c)]",
    ">\\\n>a": "[cmd(>>a)]",
    'a <<E\nb $c `d` \\$e \\f "g"\nE\nh':
      '[cmd(a HereDocument{operator:<< delimiter:E body:b ·$c· ·CommandSubstitution{backquoted:true script:[cmd(d)]}· ·\\$·e \\\\f \\"g\\"\\n closed:true}); cmd(h)]',
    "a <<'E'\nb $c\nE": "[cmd(a HereDocument{operator:<< delimiter:E quoted:true body:b $c\\n closed:true})]",
    "a <<\\E\n$b\nE": "[cmd(a HereDocument{operator:<< delimiter:E quoted:true body:$b\\n closed:true})]",
    'a <<"E F"\nb\nE F': "[cmd(a HereDocument{operator:<< delimiter:E F quoted:true body:b\\n closed:true})]",
    "a <<-E\n\t\tb\n\t c\n\tE\nd": "[cmd(a HereDocument{operator:<<- delimiter:E body:b\\n c\\n closed:true}); cmd(d)]",
    "a <<E <<F b\n1\nE\n2\nF":
      "[cmd(a b HereDocument{operator:<< delimiter:E body:1\\n closed:true} HereDocument{operator:<< delimiter:F body:2\\n closed:true})]",
    "a <<E | b\nc\nE\nd": "[cmd(a HereDocument{operator:<< delimiter:E body:c\\n closed:true}) | cmd(b); cmd(d)]",
    "a <<E; b\nc\nE": "[cmd(a HereDocument{operator:<< delimiter:E body:c\\n closed:true}); cmd(b)]",
    "(a <<E)\nb\nE": "[Subshell{body:[cmd(a HereDocument{operator:<< delimiter:E body:b\\n closed:true})]}]",
    "a <<E\nb\\\nE\nE": "[cmd(a HereDocument{operator:<< delimiter:E body:bE\\n closed:true})]",
    "a <<E\nb": "[cmd(a HereDocument{operator:<< delimiter:E body:b})]",
    "a <<E": "[cmd(a HereDocument{operator:<< delimiter:E body:∅})]",
    "a <<E\nE": "[cmd(a HereDocument{operator:<< delimiter:E body:∅ closed:true})]",
    "a <<$b\nc\n$b": "[cmd(a HereDocument{operator:<< delimiter:$b body:c\\n closed:true})]",
    "$(a <<E\nb\nE\n)":
      "[cmd(CommandSubstitution{script:[cmd(a HereDocument{operator:<< delimiter:E body:b\\n closed:true})]})]",
    "$(a <<E)\nb": "[cmd(CommandSubstitution{script:[cmd(a HereDocument{operator:<< delimiter:E body:∅})]}); cmd(b)]",
    "a <<E\n$(b <<F\nc\nF\n)\nE":
      "[cmd(a HereDocument{operator:<< delimiter:E body:CommandSubstitution{script:[cmd(b HereDocument{operator:<< delimiter:F body:c\\n closed:true})]}·\\n closed:true})]",
    "a <<E\n${b:-\"c\" 'd'}\nE":
      "[cmd(a HereDocument{operator:<< delimiter:E body:$b{ParameterFallback{operator:- colon:true word:\"c\"· 'd'}}·\\n closed:true})]",
  })
})
