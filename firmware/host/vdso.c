/* The kernel's routine that reads a clock, found in the shared object that it maps into every process (the vDSO). */
#include <linux/auxvec.h>
#include <linux/elf.h>

#include "host.h"
#include "text.h"

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
typedef Elf64_Dyn elf_dynamic;
typedef Elf64_Sym elf_symbol;
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
typedef Elf32_Dyn elf_dynamic;
typedef Elf32_Sym elf_symbol;
#endif

#if defined(__aarch64__)
#define NAME "__kernel_clock_gettime"
#else
#define NAME "__vdso_clock_gettime"
#endif

/* The value that the kernel gave for a key in the vector behind arguments and environment, 0: none. */
static uintptr_t auxiliary(const uintptr_t *stack, uintptr_t key) {
    const uintptr_t *at = stack + 1 + stack[0] + 1;

    while (*at != 0) {
        at++;
    }
    for (at++; at[0] != AT_NULL; at += 2) {
        if (at[0] == key) {
            return at[1];
        }
    }
    return 0;
}

/* What is at an address of a dynamic entry, which the kernel does not relocate. */
static const void *inside(uintptr_t base, uintptr_t address) {
    return (const void *)(address < base ? base + address : address);
}

cf_host_clock *cf_host_vdso_clock(const uintptr_t *stack) {
    const uintptr_t image = auxiliary(stack, AT_SYSINFO_EHDR);
    const elf_header *header = (const elf_header *)image;
    const elf_dynamic *dynamic = NULL;
    const elf_symbol *symbols = NULL;
    const char *names = NULL;
    const uint32_t *hash = NULL;
    uintptr_t base = image, count = 0;

    if (image == 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        const elf_segment *s = (const elf_segment *)(image + header->e_phoff + i * header->e_phentsize);
        if (s->p_type == PT_LOAD) {
            base = image + s->p_offset - s->p_vaddr;
            cf_host.vdso = image;
            cf_host.vdso_length = s->p_memsz;
        } else if (s->p_type == PT_DYNAMIC) {
            dynamic = (const elf_dynamic *)(image + s->p_offset);
        }
    }
    for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++) {
        const void *at = inside(base, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_SYMTAB) {
            symbols = at;
        } else if (dynamic->d_tag == DT_STRTAB) {
            names = at;
        } else if (dynamic->d_tag == DT_HASH) {
            hash = at;
        }
    }
    if (symbols == NULL || names == NULL) {
        return NULL;
    }
    if (hash != NULL) {
        count = hash[1];
    } else if ((uintptr_t)names > (uintptr_t)symbols) { /* no old hash table: the names follow the symbols */
        count = ((uintptr_t)names - (uintptr_t)symbols) / sizeof *symbols;
    }
    for (; count-- > 0; symbols++) {
        if (symbols->st_shndx != SHN_UNDEF && cf_text_equal(names + symbols->st_name, NAME)) {
            return (cf_host_clock *)(base + symbols->st_value);
        }
    }
    return NULL;
}
