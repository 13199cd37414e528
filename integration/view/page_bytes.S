// The built page as it stands in integration/page/dist, which is in the include
// path of the assembler.
        .section .rodata
        .global heaptally_page_begin
        .global heaptally_page_end
        .global heaptally_policy_begin
        .global heaptally_policy_end
heaptally_page_begin:
        .incbin "page.html.gz"
heaptally_page_end:
heaptally_policy_begin:
        .incbin "csp.txt"
heaptally_policy_end:
        .section .note.GNU-stack,"",@progbits
