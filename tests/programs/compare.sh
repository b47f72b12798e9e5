# Every strategy that fits, in turn; each as it is when trained alone.
make_store tiles.h5 40 64
