/* A game whose loader ends at once. The game itself goes on, and does not end when it is asked to. */

#include <stdio.h>
#include <windows.h>

int main(int argc, char **argv)
{
    char program[MAX_PATH], command[MAX_PATH + 16];
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION started;
    if (argc > 1) {
        fclose(fopen("played", "w"));
        Sleep(INFINITE);
    }
    GetModuleFileNameA(NULL, program, sizeof program);
    snprintf(command, sizeof command, "\"%s\" play", program);
    return !CreateProcessA(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &start, &started);
}
