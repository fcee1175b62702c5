/* A stand-in for Edge: a window that shows nothing, and writes down when it is opened and when it comes to the front. */

#include <stdio.h>
#include <string.h>
#include <windows.h>

static void record(const char *line)
{
    char path[MAX_PATH];
    GetModuleFileNameA(NULL, path, sizeof path);
    strcpy(strrchr(path, '\\') + 1, "record");
    FILE *file = fopen(path, "a");
    fprintf(file, "%s\n", line);
    fclose(file);
}

static LRESULT CALLBACK answer(HWND window, UINT message, WPARAM first, LPARAM second)
{
    if (message == WM_ACTIVATE && LOWORD(first) != WA_INACTIVE)
        record("front");
    return DefWindowProcA(window, message, first, second);
}

int main(void)
{
    WNDCLASSA class = {.lpfnWndProc = answer, .lpszClassName = "window"};
    MSG message;
    record("opened");
    RegisterClassA(&class);
    CreateWindowA("window", "window", WS_OVERLAPPEDWINDOW | WS_VISIBLE, 0, 0, 300, 200, NULL, NULL, NULL, NULL);
    while (GetMessageA(&message, NULL, 0, 0) > 0)
        DispatchMessageA(&message);
    return 0;
}
